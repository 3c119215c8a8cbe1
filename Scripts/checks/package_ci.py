"""Runs the steps of action.yml and of Samples/ci/gitlab-package.yml in a root of Debian, as the CI services would."""

import functools
import http.server
import pathlib
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The status of a program that dies of SIGSEGV, as its shell has it.
DIES = "perl -e 'kill SEGV => $$'; exit $?"
PLACE = "/tmp/ci"


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def steps(name):
    """The commands of the action, each with whether it runs after a failure."""
    import yaml
    action = yaml.safe_load((ROOT / name).read_text())
    return [(step["run"], step.get("if") == "always()") for step in action["runs"]["steps"] if "run" in step]


def script(lines, variables):
    """A script of bash for the root, with variables set."""
    values = "".join(f"export {key}={value!r}\n" for key, value in variables.items())
    return f"mkdir -p {PLACE} && cd {PLACE} && bash -euo pipefail <<'END'\n{values}{lines}\nEND"


def action(root, in_root):
    variables = {"PACKAGE": "/tmp/crashsym.deb", "RUNNER_TEMP": PLACE, "COMMAND": "bash /tmp/dies.sh", "GUARD": "true", "REPORTS": "reports",
                 "GITHUB_STEP_SUMMARY": f"{PLACE}/summary.md"}
    (root / "tmp" / "dies.sh").write_text(DIES + "\n")
    output, failed = "", False
    for lines, always in steps("action.yml"):
        if failed and not always:
            continue
        run = in_root(root, script(lines, variables))
        output += run.stdout + run.stderr
        failed = failed or run.returncode != 0
    summary = root / PLACE[1:] / "summary.md"
    told = failed and "::error" in output and summary.exists() and "perl died of SIGSEGV" in summary.read_text()
    yield "action.yml: the step fails, and the crash stands beside the code and in the summary", "" if told else output[-1500:]


def gitlab(root, package, in_root):
    import yaml
    job = yaml.safe_load((ROOT / "Samples" / "ci" / "gitlab-package.yml").read_text())[".crashsym"]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=package.resolve().parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = {**job["variables"], "CRASHSYM_COMMAND": "bash /tmp/dies.sh",
                 "CRASHSYM_PACKAGE": f"http://127.0.0.1:{server.server_address[1]}/{package.name}"}
    try:
        runs = [in_root(root, script("\n".join(job[part]), variables)) for part in ("before_script", "script", "after_script")]
    finally:
        server.shutdown()
        server.server_close()
    told = [run.returncode != 0 for run in runs] == [False, True, False] and "perl died of SIGSEGV" in runs[2].stdout
    yield "gitlab-package.yml: the job fails, and its log has the report", "" if told else "\n".join(
        f"status {run.returncode}\n{(run.stdout + run.stderr)[-700:]}" for run in runs)


def checks(root, package, in_root):
    yield from action(root, in_root)
    yield from gitlab(root, package, in_root)
