import LockRows
import ThreadGuard

printLockRows()
