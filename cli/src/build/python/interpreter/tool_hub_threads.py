"""A pool of threads for a sandbox that has none: it calls a function when it is given one."""

import concurrent.futures.thread


class ThreadPoolExecutor(concurrent.futures.Executor):
    """Calls what is submitted at once, so that its future is done when it is returned."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._initializer, self._initargs = initializer, initargs
        self._is_shut_down = False

    def submit(self, fn, /, *args, **kwargs):
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        initializer, self._initializer = self._initializer, None
        if initializer is not None:
            initializer(*self._initargs)
        future = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut_down = True


def install():
    """Makes this the pool of `concurrent.futures`."""
    concurrent.futures.ThreadPoolExecutor = concurrent.futures.thread.ThreadPoolExecutor = ThreadPoolExecutor
