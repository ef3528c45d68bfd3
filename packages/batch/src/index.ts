/** Many prompts as one durable batch. */

export { applyToBranch } from './apply-patch.ts';
export type {
  BatchEngine,
  BatchLimits,
  BatchState,
  BatchStatus,
  Claim,
  Claimed,
  NewBatch,
  RunOptions,
  Settlement,
  Spending,
  TaskStatus,
  WorkerIdentity,
} from './engine.ts';
export { TASK_VARIABLE } from './lifeline.ts';
export { fetchPatch } from './fetch-work.ts';
export { forecast, rateOf } from './forecast.ts';
export type { Forecast } from './forecast.ts';
export { git, GitError } from './git.ts';
export { providerOf, quickened, slowed, START_AT_ONCE } from './pace.ts';
export { isRunning, startTimeOf } from './process-identity.ts';
export { readTaskFile, tasksOfRepositories, tasksOver, whereOf } from './read-tasks.ts';
export type { Artifacts } from './publish.ts';
export { reserveFor } from './reserve.ts';
export type { Reserve } from './reserve.ts';
export type { TaskProgress } from './run-task.ts';
export { sweepWorkplaces } from './sweep.ts';
export { SqliteEngine } from './sqlite-engine.ts';
export { byPriority, parseTask, TaskError, wrongVariable } from './task.ts';
export type { Task, TaskDefaults, TaskLimits, TaskPlace } from './task.ts';
export { TaskFiles } from './task-files.ts';
export { spentByTask } from './spent-by-task.ts';
export { OUTCOMES } from './task-result.ts';
export type { TaskOutcome, TaskResult } from './task-result.ts';
export { abandonedResult, isPoisoned, unrunResult } from './unrun-result.ts';
export { work } from './worker.ts';
export type { WorkerEvent, WorkerOptions } from './worker.ts';
export { baseOf, removeWorkplace, repositoryOf, uncommittedChanges } from './workplace.ts';
