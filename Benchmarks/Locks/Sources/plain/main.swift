import LockRows

printLockRows()
