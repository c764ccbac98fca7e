"""The exclusive lock of the operating system on an open file: ``flock`` or ``LockFileEx``.

A blocked request is queued by the kernel in order of arrival, which polling cannot offer.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _EXCLUSIVE = 0x2
    _FAIL_IMMEDIATELY = 0x1
    _ERROR_LOCK_VIOLATION = 33
    # Far behind any content, since Windows enforces the lock on the bytes it covers.
    _OFFSET = 1 << 30

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("Internal", ctypes.c_void_p),
            ("InternalHigh", ctypes.c_void_p),
            ("Offset", wintypes.DWORD),
            ("OffsetHigh", wintypes.DWORD),
            ("hEvent", wintypes.HANDLE),
        )

    _kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)

    def lock(fd: int, *, wait: bool) -> bool:
        """Take the lock on ``fd``; without ``wait`` return whether it was free."""
        flags = _EXCLUSIVE | (0 if wait else _FAIL_IMMEDIATELY)
        handle = wintypes.HANDLE(msvcrt.get_osfhandle(fd))
        place = _Overlapped(Offset=_OFFSET)
        if _kernel32.LockFileEx(handle, flags, 0, 1, 0, ctypes.byref(place)):
            return True
        if not wait and ctypes.get_last_error() == _ERROR_LOCK_VIOLATION:
            return False
        raise ctypes.WinError(ctypes.get_last_error())

    def unlock(fd: int) -> None:
        """Give the lock on ``fd`` back."""
        handle = wintypes.HANDLE(msvcrt.get_osfhandle(fd))
        place = _Overlapped(Offset=_OFFSET)
        _kernel32.UnlockFileEx(handle, 0, 1, 0, ctypes.byref(place))

else:
    import fcntl

    def lock(fd: int, *, wait: bool) -> bool:
        """Take the lock on ``fd``; without ``wait`` return whether it was free."""
        try:
            fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(fd: int) -> None:
        """Give the lock on ``fd`` back."""
        fcntl.flock(fd, fcntl.LOCK_UN)
