"""The program `serve`: a JSON value a line in, a JSON object a line out."""

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
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def close(self):
        """Ends the program with its input."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def versions(binary):
    """What the program is, and the variables that it was told."""
    digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()[:12]
    return {"serve": digest} | {k: v for k, v in os.environ.items() if k.startswith("GITTINS_")}
