"""A PostgreSQL server of one's own, in a folder, on a Unix socket."""

from __future__ import annotations

import glob
import os
import pathlib
import shutil
import signal
import subprocess
import time

#: Who runs the server if we are root: PostgreSQL refuses to be run by root.
USERS = ("postgres", "nobody")

#: Seconds to wait for the server to come up or to go down.
PATIENCE = 60.0


class NoPostgresError(Exception):
    """There is no PostgreSQL server on this machine."""


def binaries() -> pathlib.Path:
    """Return the folder with `initdb` and `postgres`.

    Debian has one folder for each version, and they are not on the path.
    """
    found = []
    config = shutil.which("pg_config")
    if config is not None:
        said = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=True)
        found.append(said.stdout.strip())
    found += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    found += os.environ.get("PATH", "").split(os.pathsep)
    for folder in found:
        path = pathlib.Path(folder)
        if (path / "initdb").exists() and (path / "postgres").exists():
            return path
    message = "PostgreSQL: no folder has initdb and postgres; Debian's package is `postgresql`"
    raise NoPostgresError(message)


def user() -> str | None:
    """Return who runs the server, if that is not us."""
    if os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in USERS:
        if name in names:
            return name
    message = f"PostgreSQL: root may not run it, and there is none of the users {USERS}"
    raise NoPostgresError(message)


class Postgres:
    """A server in a folder while a `with` block runs. It has the settings that initdb gives it.

    Args:
        folder: An empty folder with a short path: that of a socket has at most 107 bytes.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._binaries = binaries()
        self._user = user()
        self._folder = folder
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for Optuna."""
        return f"postgresql+psycopg2://fleet@/postgres?host={self._folder}"

    def __enter__(self) -> Postgres:
        """Make the database and start the server."""
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        data = self._folder / "data"
        made = self._command("initdb", "-D", str(data), "-A", "trust", "-U", "fleet", "-E", "UTF8")
        done = subprocess.run(
            made, capture_output=True, text=True, user=self._user, cwd=self._folder, check=False
        )
        if done.returncode != 0:
            message = f"initdb: {done.stderr.strip()}"
            raise RuntimeError(message)
        with (self._folder / "log").open("wb") as log:
            self._server = subprocess.Popen(
                self._command(
                    "postgres", "-D", str(data), "-k", str(self._folder), "-c", "listen_addresses="
                ),
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self._folder,
                # Ctrl-C is for us: the server goes after the workers.
                start_new_session=True,
            )
        ready = self._command("pg_isready", "-q", "-h", str(self._folder), "-U", "fleet")
        deadline = time.monotonic() + PATIENCE
        while subprocess.run(ready, check=False).returncode != 0:
            if self._server.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                message = f"PostgreSQL did not start: {(self._folder / 'log').read_text()}"
                raise RuntimeError(message)
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the server. Connections that are left are cut."""
        if self._server is not None and self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)
            try:
                self._server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()

    def _command(self, name: str, *rest: str) -> list[str]:
        return [str(self._binaries / name), *rest]
