/** `castor eval`: how often models pass the tasks of a suite, and whether that has changed. Maps each sub-command to its file. */

import { TaskError } from '@castor/batch';
import { ExitCode } from '../../exit-codes.ts';
import { homeDirectory } from '../../home-directory.ts';
import type { Output } from '../../output.ts';
import type { Interruption } from '../../signals.ts';
import { BatchProblem, openContext } from '../batch/batch-context.ts';
import { takeQueue } from '../batch/batch-words.ts';
import { tellSubcommands } from '../tell-usage.ts';

const USAGE = `Usage: castor eval run [<suite>] [options] [-- flags of castor]
       castor eval resume [<eval>]
       castor eval list [<suite>]
       castor eval show <results.json>
       castor eval compare <before.json> <after.json> [options]

  run      runs every task with every model and prompt, and writes a file of results
  resume   goes on with an eval that was interrupted
  list     lists the tasks of a suite
  show     shows a file of results: pass rate, pass@k, cost, failures, flips
  compare  says what got better or worse beyond noise; fails on a regression

A suite is a folder (default: evals) with tasks/<name>/prompt.md and check.sh. The check
runs in the task's folder; exit code 0 is a pass, and $CASTOR_ANSWER names a file with the
answer. tasks/<name>/files/ is the folder a task begins with, else the repository around
the suite. prompts/<name>.md wraps each prompt at {{prompt}}. suite.json: models, tries,
flags, folder or repo, ref, limits, env.

Options of run (of resume: --concurrency, --keep, -o):
  --model <names>        the models, separated by commas
  --prompt <names>       of prompts/, or files; separated by commas
  --task <names>         only these tasks
  --tries <n>            tries for each task, model and prompt
  --save <file>          the results (default: <suite>/results/<eval>.json)
  --min-pass <percent>   exit code 1 when fewer tries pass
  --concurrency <n>      tries at once (default 4)
  --max-cost, --max-tokens, --max-time
                         over all tries
  --task-cost, --task-tokens, --task-turns, --task-time
                         of one try
  --keep                 leaves the worktrees
  --queue <address>      workers of a queue run the tries: redis://… or postgres://…;
                         default: the variable CASTOR_QUEUE (castor worker --help)
  --artifacts <place>    with a queue: a folder that all machines see, for the files that
                         tasks begin with and those of ended tries; or "git"
  -o <format>            text or json

Options of compare:
  <file>#<model>#<prompt>  only this model, or this model and prompt
  --alpha <p>            the probability below which a difference is not noise (0.05)
  --fail-on <what>       pass (default), cost, time, tokens, turns; separated by commas
  --strict               a task that always passed and never does now is a regression,
                         however few its tries
  -o <format>            text or json

Exit codes: 0 done · 1 a regression, or below --min-pass · 42 invalid suite or file
            56 budget spent · 130 interrupted, to be resumed
More: docs/evals.md
`;

export async function runEvalCommand(
  [name = '', ...argv]: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  const told = await tellSubcommands([name, ...own], USAGE, output);
  if (told !== undefined) return told;
  try {
    return await runNamed(name, argv, output, interruption);
  } catch (error) {
    if (error instanceof TaskError) output.note(`castor: ${error.message}`);
    else if (error instanceof BatchProblem) output.note(`castor: ${error.message}`);
    else throw error;
    return error instanceof BatchProblem ? error.exitCode : ExitCode.Input;
  }
}

async function runNamed(
  name: string,
  argv: readonly string[],
  output: Output,
  interruption: Interruption,
): Promise<ExitCode> {
  const cwd = process.cwd();
  switch (name) {
    case 'list':
      return (await import('./eval-show.ts')).listTasks(argv, { output, cwd });
    case 'show':
      return (await import('./eval-show.ts')).showResults(argv, { output, cwd });
    case 'compare':
      return (await import('./eval-show.ts')).compareFiles(argv, { output, cwd });
    case 'run':
    case 'resume':
      break;
    default:
      output.note(`castor: unknown command castor eval "${name}".\n\n${USAGE}`);
      return ExitCode.Failure;
  }
  const { runEval, resumeEval } = await import('./eval-run.ts');
  const { queue, rest } = takeQueue(argv, process.env);
  const context = await openContext({
    queue,
    ...{ output, interruption, cwd, home: homeDirectory(process.env), environment: process.env },
    program: [process.execPath, process.argv[1] ?? ''],
  });
  try {
    return await (name === 'run' ? runEval : resumeEval)(rest, context);
  } finally {
    await context.engine.close();
  }
}
