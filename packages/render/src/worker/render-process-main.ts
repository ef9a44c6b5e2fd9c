import { answerTask, type WorkerTask } from "./worker-task.ts";

/**
 * The process in which YAML is read. 10 MiB of it take a second, in which the process that serves requests could do
 * nothing else. A thread would do for that, but not for memory: V8 ends the whole process when a thread grows fast.
 */
process.on("message", (task: WorkerTask) => {
  process.send?.(answerTask(task));
});

// Whoever started it is gone.
process.on("disconnect", () => process.exit());
