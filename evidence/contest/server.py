"""The program `serve`: a JSON value a line in, a JSON object a line out."""

import contextlib
import hashlib
import json
import os
import pathlib
import subprocess


class Server:
    """One study in a process of its own. `command` is the program and its arguments."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def say(self, line):
        """The answer to a line. One that says what is wrong is an error."""
        self.process.stdin.write(json.dumps(line) + "\n")
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError(f"the program ended at {json.dumps(line)}")
        answer = json.loads(said)
        if answer and "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        """Ends the program with its input, or at once if it does not listen."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def versions(binary):
    """What the program is, and the variables that it was told."""
    digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]
    return {"serve": digest} | {k: v for k, v in os.environ.items() if k.startswith("GITTINS_")}
