import CrashReportModel
import Testing
import Workloads

@testable import StressRunner
