"""Which record answers a paste: the right one, the nearest, or plainly none."""

from __future__ import annotations

import json
import time

import pytest
from confusable import put_all
from wrapped import WRAPPED

from conftest import Workshop
from errorkb.index import Index
from errorkb.indexer import index_of
from errorkb.lookup import NEEDS_MORE, NONE, Answer, as_json, first_slug, lookup
from errorkb.tier import MATCH, SIMILAR


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A library of records that tell apart what is easily confused."""
    workshop = Workshop(tmp_path_factory.mktemp("library"))
    (workshop.root / "examples").mkdir()
    put_all(workshop)
    return index_of(workshop.load())


def best(index: Index, answer: Answer) -> str:
    return index.heads[answer.hits[0].record][1] if answer.hits else ""


@pytest.mark.parametrize("name", WRAPPED)
def test_every_wrapping_of_a_traceback_gives_the_record_and_its_values(
    index: Index, name: str
) -> None:
    answer = lookup(index, WRAPPED[name])
    assert (answer.verdict, best(index, answer)) == (MATCH, "demo/pool-size")
    assert answer.hits[0].captures == {"want": (4, 8), "got": 7}


@pytest.mark.parametrize(
    "text",
    [
        "unexpected pool size (4, 8), got 7",
        "expected pool size (4, 8), got 7 of them at once, which is odd",
        "expected pool size four, got 7",
    ],
)
def test_a_message_that_is_not_the_wording_is_no_match(index: Index, text: str) -> None:
    assert lookup(index, f"demo.errors.PoolError: {text}").verdict != MATCH


def test_an_int_is_captured_whole(index: Index) -> None:
    answer = lookup(index, "PoolError: expected pool size (48,), got 4800")
    assert answer.hits[0].captures == {"want": (48,), "got": 4800}


def oom(asked: str, reserved: str) -> str:
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total "
        f"capacity of 23.69 GiB of which 115.69 MiB is free. Of the allocated memory 22.14 GiB is "
        f"allocated by PyTorch, and {reserved} is reserved by PyTorch but unallocated. If so, …"
    )


def test_records_of_one_wording_are_told_apart_by_their_numbers(index: Index) -> None:
    plain = lookup(index, oom("2.00 GiB", "910.35 MiB"))
    assert best(index, plain) == "cuda/out-of-memory"
    assert [index.heads[hit.record][1] for hit in plain.hits] == ["cuda/out-of-memory"]
    fragmented = lookup(index, oom("2.00 GiB", "8.71 GiB"))
    assert best(index, fragmented) == "cuda/fragmented"
    assert fragmented.hits[0].captures["asked"] == 2 << 30


def test_the_root_cause_beats_its_wrapper(index: Index) -> None:
    text = (
        "ValueError: arange's range must be a power of 2\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "triton.errors.LoweringError: lowering of aten.mm failed: at 3:4\n"
    )
    answer = lookup(index, text)
    assert [index.heads[hit.record][1] for hit in answer.hits] == ["triton/range", "triton/wrapped"]


def test_what_a_command_printed_beats_its_exit_status(index: Index) -> None:
    printed = "main.c:6: fatal error: Python.h: No such file or directory\n"
    raised = (
        'Traceback (most recent call last):\n  File "triton/runtime/build.py", line 48\n'
        "subprocess.CalledProcessError: Command '['gcc', 'main.c', '-O3']' returned non-zero exit "
        "status 1."
    )
    answer = lookup(index, printed + "compilation terminated.\n" + raised)
    found = [index.heads[hit.record][1] for hit in answer.hits]
    assert found == ["triton/headers", "triton/compiler"]


def test_a_line_that_quotes_an_error_and_has_a_record_beats_the_error_alone(index: Index) -> None:
    inner = (
        "OutOfResources: out of resource: shared memory, Required: 131072, Hardware limit: 101376. "
        "Reducing block sizes or `num_stages` may help."
    )
    outer = lookup(
        index, f"E0912 11:54:57.366 11 a.py:21] [7/0] No valid triton configs. {inner}. \n"
    )
    assert (outer.verdict, best(index, outer)) == (MATCH, "triton/no-config")
    answer = lookup(index, f"[16:10:42] health/ERROR  {inner}  (\u00d75)")
    assert (answer.verdict, best(index, answer)) == (MATCH, "triton/shared-memory")
    assert answer.hits[0].captures["limit"] == 101376


@pytest.mark.parametrize(
    "text",
    [
        "Exception: Capture cuda graph failed: CUDA error: operation not permitted when stream is "
        "capturing",
        "RuntimeError: CUDA error: operation not permitted when stream is capturing\n"
        "CUDA kernel errors might be asynchronously reported at some other API call.\n",
        "`CUDA error: operation not permitted when stream is capturing`",
        "super().run() RuntimeError: CUDA error: operation not permitted when stream is capturing",
    ],
)
def test_a_message_is_found_where_messages_begin(index: Index, text: str) -> None:
    answer = lookup(index, text)
    assert (answer.verdict, best(index, answer)) == (MATCH, "cuda/capture")


def test_a_message_that_was_cut_off_is_still_found(index: Index) -> None:
    text = "out of resource: shared memory, Required: 131072, Hardware limit: 101376. Redu"
    answer = lookup(index, f"OutOfResources: {text}")
    assert best(index, answer) == "triton/shared-memory"
    assert answer.hits[0].captures["required"] == 131072


def test_a_reworded_message_is_similar_and_never_a_match(index: Index) -> None:
    answer = lookup(
        index, "RuntimeError: CUDA error: illegal memory access encountered by a kernel"
    )
    assert (answer.verdict, best(index, answer)) == (SIMILAR, "cuda/illegal-access")
    assert {hit.tier for hit in answer.hits} == {"similar"}


def test_generic_words_need_the_software_around_them(index: Index) -> None:
    message = "PermissionError: [Errno 13] Permission denied: '/data/x'"
    inside = f'  File "/v/site-packages/triton/runtime/cache.py", line 6, in put\n{message}'
    outside = f'  File "/v/site-packages/flask/app.py", line 6, in put\n{message}'
    assert lookup(index, inside).verdict == MATCH
    assert lookup(index, outside).verdict == NONE
    assert lookup(index, message.replace("/data/x", "/root/.triton/cache")).verdict == MATCH
    assert lookup(index, message).verdict == SIMILAR
    chained = (
        f"{message}\n\nThe above exception was the direct cause of the following exception:\n\n"
    )
    assert (
        lookup(index, f"{chained}triton.errors.LoweringError: it did not work\n").verdict == MATCH
    )


@pytest.mark.parametrize(
    "text",
    [
        "PermissionError: [Errno 13] Permission denied: '/home/triton-server'",
        'File "/usr/lib/tritonclient/http.py", line 3, in get\n'
        "ValueError: arange's range must be a power of 2",
        "2019-02-11 16:42:08.131786: E tensorflow/stream_executor/cuda.cc:36] CUDA error: an "
        "illegal memory access was encountered",
        "numba.cuda.cudadrv.driver.CudaAPIError: CUDA error: an illegal memory access was "
        "encountered",
        "ERROR ([5.5]:f():a.cu:223) CUDA error: an illegal memory access was encountered",
    ],
)
def test_other_software_is_named_and_not_matched(index: Index, text: str) -> None:
    answer = lookup(index, text)
    assert (answer.verdict, answer.hits) == (NONE, [])
    assert "this is an error of" in str(answer.advice)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "RuntimeError: Engine core initialization failed. See root cause above. "
            "Failed core proc(s): {}",
            "worker's own traceback",
        ),
        (
            "api.py:869] failed (exitcode: -9) local_rank: 5 (pid: 2630) of binary: python\n"
            "Traceback (most recent call last):\n"
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n",
            "dmesg",
        ),
        ("(raylet) A worker died or was killed while executing a task", "ray/session_latest"),
        ("Killed", "dmesg"),
        ("ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)", "|"),
        (
            "triton.compiler.errors.CompilationError: at 1:2:\n    x = 1\n    ^\n",
            "below the source excerpt",
        ),
        ('Traceback (most recent call last):\n  File "a.py", line 1, in f\n', "SomeError"),
        (
            "Exception: Capture cuda graph failed: [../gloo/transport/tcp/pair.cc:534] Connectio",
            "other ranks",
        ),
    ],
)
def test_a_paste_of_wrappers_says_what_to_look_for(index: Index, text: str, names: str) -> None:
    answer = lookup(index, text)
    assert answer.verdict == NEEDS_MORE
    assert names in str(answer.advice)


def test_a_launchers_summary_is_no_error_of_a_kernel(index: Index) -> None:
    """Its line of the log resembles whatever wording begins with a place in a source file."""
    answer = lookup(
        index,
        "E1202 10:11:12.131 4321 site-packages/torch/distributed/elastic/multiprocessing/api.py:882"
        "] failed (exitcode: -9) local_rank: 2 (pid: 4444) of binary: /usr/bin/python3\n"
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
        "  exitcode  : -9 (pid: 4444)\n  traceback : Signal 9 (SIGKILL) received by PID 4444\n",
    )
    assert (answer.verdict, answer.hits) == (NEEDS_MORE, [])
    assert "the failing rank's own traceback" in str(answer.advice)


def test_frames_without_the_error_name_what_may_be_raised_there(workshop: Workshop) -> None:
    site = {"package": "demo", "path": "demo/pool.py", "function": "Pool.take", "condition": "odd"}
    workshop.example(sites=[site])
    index = index_of(workshop.load())
    answer = lookup(index, 'File "/v/site-packages/demo/pool.py", line 7, in take\n    raise\n')
    assert (answer.verdict, best(index, answer)) == (NEEDS_MORE, "demo/odd-total")
    assert "down to 'SomeError: " in str(answer.advice)
    other = lookup(index, 'File "/v/site-packages/demo/pool.py", line 7, in give\n    raise\n')
    assert (other.verdict, other.hits) == (NEEDS_MORE, [])


def test_a_beginning_that_several_wordings_share_is_none_of_them(workshop: Workshop) -> None:
    texts = ["has overflowed", "was closed", "is not open", "is empty"]
    for number, text in enumerate(texts):
        message = {"software": "demo", "versions": "*", "origin": "executed"}
        workshop.example(
            f"demo/case-{number}",
            code=f"EKB{number:04}",
            messages=[{**message, "template": f"frobnicator fault {{n:int}}: the ring {text}"}],
        )
    index = index_of(workshop.load())
    answer = lookup(index, "ValueError: frobnicator fault 7: the r")
    assert (answer.verdict, len(answer.hits)) == (NEEDS_MORE, 4)
    assert "ends before it says which" in str(answer.advice)
    assert lookup(index, "ValueError: frobnicator fault 7: the ring has ov").verdict == MATCH


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("cudaErrorIllegalAddress in gdn.py:237 under load", "cuda/illegal-access"),
        ("driver returned CUDA_ERROR_ILLEGAL_ADDRESS (700)", "cuda/illegal-access"),
        ("RuntimeError: cudaErrorStreamCaptureUnsupported", "cuda/capture"),
    ],
)
def test_the_name_of_a_cuda_error_is_its_message(index: Index, text: str, slug: str) -> None:
    answer = lookup(index, text)
    assert (answer.verdict, best(index, answer)) == (MATCH, slug)


@pytest.mark.parametrize("text", ["cupy: CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddresses"])
def test_another_name_or_another_software_is_not(index: Index, text: str) -> None:
    assert lookup(index, text).verdict == NONE


def test_a_cause_beside_a_wrapper_is_the_answer(index: Index) -> None:
    wrapper = "(APIServer pid=1) RuntimeError: Engine core initialization failed.\n"
    cause = "(EngineCore pid=2) ValueError: arange's range must be a power of 2\n"
    assert best(index, lookup(index, wrapper + cause)) == "triton/range"
    unknown = "(EngineCore pid=2) ValueError: the frobnicator is out of tune\n"
    assert lookup(index, wrapper + unknown).verdict == NONE


def test_nothing_in_common_is_none(index: Index) -> None:
    answer = lookup(index, "ValueError: could not convert string to float: 'abc'")
    assert (answer.verdict, answer.hits) == (NONE, [])
    assert str(answer.advice).startswith("No record")


def test_none_names_the_nearest(index: Index) -> None:
    answer = lookup(index, "demo.errors.PoolError: the pool was closed by the ring")
    assert answer.verdict == NONE
    assert "the nearest are EKB000" in str(answer.advice)


def test_a_note_names_the_record_whatever_the_wording(index: Index) -> None:
    text = "ValueError: reworded\nFor the cause and a tested fix: errorkb explain EKB0002\n"
    answer = lookup(index, text)
    assert (answer.verdict, best(index, answer)) == (MATCH, "demo/ring-size")


def test_the_json_has_its_fixed_shape(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITE_URL", "https://kb.example/")
    data = json.loads(json.dumps(as_json(index, lookup(index, WRAPPED["direct cause"]))))
    assert list(data) == ["verdict", "matches", "exceptions", "advice"]
    assert data["verdict"] == "match"
    assert data["matches"] == [
        {
            "code": "EKB0001",
            "slug": "demo/pool-size",
            "tier": "match",
            "captures": {"want": [4, 8], "got": 7},
            "title": "About demo/pool-size",
            "url": "https://kb.example/e/EKB0001/",
        }
    ]
    assert data["exceptions"][1] == {"class": "RuntimeError", "message": "step failed", "line": 17}
    assert data["advice"] is None


def test_first_slug_is_that_of_a_match_only(index: Index) -> None:
    assert first_slug(index, WRAPPED["clean"]) == "demo/pool-size"
    assert first_slug(index, "CUDA error: illegal memory access encountered by a kernel") is None


def test_a_withdrawn_record_is_not_found_by_its_wording(workshop: Workshop) -> None:
    workshop.example(withdrawn="It was wrong.")
    assert lookup(index_of(workshop.load()), "expected an even total, got 7").verdict == NONE


@pytest.mark.parametrize(
    "text",
    [
        "CUDA out of memory. Tried to allocate 1.00 MiB. GPU 0 " * 20_000,
        "CUDA out of memory. Tried to allocate 1.00 MiB. GPU 0 \n" * 20_000,
        "".join(f"RuntimeError: CUDA out of resource: triton {n} arange\n" for n in range(20_000)),
    ],
)
def test_a_hostile_paste_is_answered_in_seconds(index: Index, text: str) -> None:
    start = time.process_time()
    lookup(index, text)
    assert time.process_time() - start < 5.0
