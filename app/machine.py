"""What figures were measured on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .threads import cores


def machine(*packages: str) -> str:
    """Processor, cores and the versions of Python and of those packages that are there, in one line."""
    versions = [f"Python {platform.python_version()}"]
    for package in packages:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:  # of an extra that was not needed
            continue
    return f"{_processor()}, {cores()} cores; {', '.join(versions)}"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text("utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
