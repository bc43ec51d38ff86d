#!/usr/bin/env python3
"""A queue of Python, used by three threads and recorded:  queue.py LIBRARY run.plumb && plumb check run.plumb

LIBRARY is libplumb_record.so, from the build or from where plumb is installed."""

import collections
import ctypes
import sys
import threading


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int64), ("text", ctypes.c_char_p)]


def load(path):
    library = ctypes.CDLL(path)
    signatures = {
        "plumb_recorder_open": (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p),
        "plumb_recorder_function": (ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p),
        "plumb_recorder_thread": (ctypes.c_void_p, ctypes.c_void_p),
        "plumb_recorder_call": (None, ctypes.c_void_p, ctypes.c_int, Value),
        "plumb_recorder_return": (None, ctypes.c_void_p, Value),
        "plumb_recorder_close": (ctypes.c_int, ctypes.c_void_p),
        "plumb_recorder_error": (ctypes.c_char_p,),
        "plumb_recorder_none": (Value,),
        "plumb_recorder_null": (Value,),
        "plumb_recorder_string": (Value, ctypes.c_char_p),
    }
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def work(plumb, recorder, queue, number):
    log = plumb.plumb_recorder_thread(recorder)
    enqueue = plumb.plumb_recorder_function(recorder, b"enqueue")
    dequeue = plumb.plumb_recorder_function(recorder, b"dequeue")
    for i in range(1000):
        value = f"{number}:{i}".encode()
        plumb.plumb_recorder_call(log, enqueue, plumb.plumb_recorder_string(value))
        queue.append(value)
        plumb.plumb_recorder_return(log, plumb.plumb_recorder_none())
        plumb.plumb_recorder_call(log, dequeue, plumb.plumb_recorder_none())
        try:
            taken = queue.popleft()  # must live until plumb_recorder_return has copied it
            result = plumb.plumb_recorder_string(taken)
        except IndexError:
            result = plumb.plumb_recorder_null()
        plumb.plumb_recorder_return(log, result)


def main():
    plumb = load(sys.argv[1])
    recorder = plumb.plumb_recorder_open(sys.argv[2].encode(), b"queue")
    if not recorder:
        sys.exit(plumb.plumb_recorder_error().decode())
    queue = collections.deque()
    threads = [threading.Thread(target=work, args=(plumb, recorder, queue, i)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if plumb.plumb_recorder_close(recorder) != 0:
        sys.exit(plumb.plumb_recorder_error().decode())


if __name__ == "__main__":
    main()
