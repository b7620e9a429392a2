#!/usr/bin/env python3
"""Tests of what a first run reads of the output of NVIDIA's tools, and of its commands with limits."""
import sys
import tempfile
import unittest

import nvidia_tools
from steps import Report, Steps

HEADER = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",'
          '"Section Name","Metric Name","Metric Unit","Metric Value"')


def launch(kernel, unit, value):
    return f'"0","7","p","h","{kernel}","1","7","(256, 1, 1)","(40, 2, 1)","0","9.0","m","gpu__time_duration.sum","{unit}","{value}"'


class OutputOfNcu(unittest.TestCase):
    def test_kernels_lose_their_namespaces_and_parameters(self):
        for text, name in {
                "frugal::cuda::page_step(frugal::cuda::PageRows, void (*)(int))": "page_step",
                "void frugal::cuda::multiply_tiles<(bool)1, (int)4>(frugal::cuda::Product)": "multiply_tiles<1, 4>",
                "void cub::CUB_200802_SM_900::DeviceScanKernel<cub::detail::Policy<int>>(T1 *)": "DeviceScanKernel<Policy<int>>",
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n": "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"}.items():
            self.assertEqual(nvidia_tools.kernel_name(text), name)

    def test_times_are_read_among_other_lines(self):
        text = "\n".join(['{"loss": 1}', "==PROF== Connected", HEADER, launch("a(int)", "ns", "1,500"), "==WARNING== slow", launch("a(int)", "us", "2.5"),
                          launch("b", "ns", "n/a"), launch("c", "ms", "1")])
        times = nvidia_tools.kernel_times(text)
        self.assertEqual(times, {("a", "40x2x1", "256x1x1"): [1.5, 2.5], ("c", "40x2x1", "256x1x1"): [1000]})
        self.assertEqual([kernel for kernel, _ in nvidia_tools.by_kernel(times)], ["c", "a"])
        self.assertEqual(nvidia_tools.kernel_times("==ERROR== ERR_NVGPUCTRPERM"), {})


class OutputOfCheckers(unittest.TestCase):
    def test_errors_are_counted_and_the_first_is_told(self):
        lines = "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n=========     at x\n"
        self.assertEqual(nvidia_tools.findings(lines + "========= ERROR SUMMARY: 3 errors\n"), (3, "Invalid __global__ read of size 4 bytes"))
        self.assertEqual(nvidia_tools.findings(lines)[0], None)
        self.assertEqual(nvidia_tools.findings("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"), (0, ""))
        self.assertEqual(nvidia_tools.findings("========= ERROR SUMMARY: 0 errors"), (0, ""))


class CommandsWithLimits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.report = Report(folder.name + "/out")
        self.steps = Steps(self.report, folder.name + "/logs", 60)

    def run_shell(self, script, limit=20, grace=4):
        return self.steps.run("step", limit, ["sh", "-c", script], grace=grace)

    def test_a_command_that_fails_says_why(self):
        self.assertIn("exit 3", self.run_shell("echo error: no such file; echo bye; exit 3").why())
        self.assertIn("no such file", self.run_shell("echo error: no such file; echo bye; exit 3").why())
        self.assertIn("no program", self.steps.run("step", 20, ["no-such-program"]).why())
        self.assertEqual(self.run_shell("echo begun; echo '{\"a\":\n 1}'").json(), {"a": 1})

    def test_a_command_and_its_children_end_at_the_limit(self):
        step = self.run_shell("trap '' INT; (sleep 5; echo outlived) & sleep 30", limit=3, grace=1)
        self.assertEqual((step.rc, step.state()), (-9, "stopped at its limit"))
        self.run_shell("sleep 2")
        self.assertNotIn("outlived", step.text())

    def test_nothing_begins_when_no_time_is_left(self):
        self.steps.begin_part(1)
        self.assertEqual(self.run_shell("true").rc, None)
        self.assertEqual(self.run_shell("true").state(), "no time left")

    def test_rows_and_logs_are_files_at_once(self):
        self.report.row("name", "text")
        self.run_shell("echo said")
        with open(self.report.folder + "/table.txt", encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["name", "text"])
        with open(self.report.folder + "/logs.txt", encoding="utf-8") as file:
            self.assertIn("said", file.read())


if __name__ == "__main__":
    sys.exit(unittest.main())
