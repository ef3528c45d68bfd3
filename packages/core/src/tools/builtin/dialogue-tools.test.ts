import { createWorkspace } from '@castor/testkit';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConfirmationPayload, DefinedTool, ToolContext } from '../../protocol/tools.ts';
import { createAskUserTool } from './ask-user.ts';
import { createEnterPlanModeTool } from './enter-plan-mode.ts';
import { createExitPlanModeTool } from './exit-plan-mode.ts';
import { createWriteTodosTool } from './write-todos.ts';

const { signal } = new AbortController();

function run(tool: DefinedTool, args: Record<string, unknown>, confirmation?: ConfirmationPayload) {
  const context: ToolContext = { callId: '1', signal, onOutput: () => undefined, onPid: () => undefined };
  return tool.build(args).execute({ ...context, ...(confirmation && { confirmation }) });
}

describe('write_todos', () => {
  it('numbers the list for the model and shows it to the person', async () => {
    const todos = [
      { description: 'Look', status: 'completed' },
      { description: 'Change', status: 'in_progress' },
    ];
    expect(await run(createWriteTodosTool(), { todos })).toEqual({
      llmContent:
        'Successfully updated the todo list. The current list is now:\n1. [completed] Look\n2. [in_progress] Change',
      returnDisplay: { todos },
    });
  });

  it.each([
    [[{ description: ' ', status: 'pending' }], 'Each todo needs a description.'],
    [
      [
        { description: 'a', status: 'in_progress' },
        { description: 'b', status: 'in_progress' },
      ],
      'Only one todo can be in_progress at a time.',
    ],
    [[{ description: 'a', status: 'done' }], 'params/todos/0/status'],
  ])('refuses %j', (todos, problem) => {
    expect(() => createWriteTodosTool().build({ todos })).toThrow(problem);
  });
});

describe('ask_user', () => {
  const questions = [
    {
      question: 'Which database?',
      header: 'Database',
      type: 'choice',
      options: [
        { label: 'A', description: 'a' },
        { label: 'B', description: 'b' },
      ],
    },
    { question: 'Name?', header: 'Name', type: 'text' },
  ];

  it('asks through the approval and returns the answers by index', async () => {
    const tool = createAskUserTool();
    expect(await tool.build({ questions }).confirm(signal)).toEqual({ type: 'ask_user', title: 'Ask User', questions });
    expect(await run(tool, { questions }, { answers: { 0: 'A', 1: 'x', 7: 'not asked' } })).toEqual({
      llmContent: '{"answers":{"0":"A","1":"x"}}',
      returnDisplay: 'User answered:\n  Database: A\n  Name: x',
    });
  });

  it.each([undefined, { answers: {} }])('says that the person did not answer (%j)', async (confirmation) => {
    const { llmContent } = await run(createAskUserTool(), { questions }, confirmation);
    expect(llmContent).toBe('User dismissed ask_user dialog without answering.');
  });

  it.each([
    [[], 'params/questions'],
    [Array.from({ length: 5 }, () => questions[1]), 'params/questions'],
    [[{ question: 'q', header: 'h', type: 'choice' }], 'Question 1 is of type choice and needs 2 to 4 options.'],
    [[{ question: ' ', header: 'h', type: 'text' }], 'Question 1 needs a question and a header.'],
  ])('refuses %j', (bad, problem) => {
    expect(() => createAskUserTool().build({ questions: bad })).toThrow(problem);
  });
});

describe('enter_plan_mode', () => {
  it('switches the mode once it runs', async () => {
    const modes: string[] = [];
    const tool = createEnterPlanModeTool({ setApprovalMode: (mode) => modes.push(mode) });
    expect(await tool.build({ reason: 'It is big.' }).confirm(signal)).toMatchObject({ type: 'info' });
    expect(modes).toEqual([]);
    expect((await run(tool, {})).llmContent).toBe('Switching to Plan mode.');
    expect(modes).toEqual(['plan']);
  });
});

describe('exit_plan_mode', () => {
  async function open(unattendedMode?: 'yolo') {
    const files = await createWorkspace({
      files: { 'plans/plan.md': '# Plan\n', 'plans/empty.md': ' \n', 'outside.md': 'x' },
    });
    const plansDirectory = join(files.project, 'plans');
    const effects: string[] = [];
    const tool = createExitPlanModeTool({
      plansDirectory,
      setApprovalMode: (mode) => effects.push(`mode ${mode}`),
      setApprovedPlan: (path) => effects.push(`plan ${path}`),
      ...(unattendedMode && { unattendedMode }),
    });
    return {
      tool,
      effects,
      plansDirectory,
      path: join(plansDirectory, 'plan.md'),
      [Symbol.asyncDispose]: files.dispose,
    };
  }

  it.each([
    [{ approved: true }, 'default'],
    [{ approved: true, approvalMode: 'auto_edit' }, 'autoEdit'],
    [{ approved: true, approvalMode: 'yolo' }, 'default'],
  ])('goes on in the mode the person chose: %j', async (confirmation, mode) => {
    await using plan = await open();
    expect(await plan.tool.build({ plan_filename: 'plan.md' }).confirm(signal)).toEqual({
      type: 'exit_plan_mode',
      title: 'Plan Approval',
      planPath: plan.path,
      plan: '# Plan\n',
    });
    const { llmContent } = await run(plan.tool, { plan_filename: 'plan.md' }, confirmation);
    expect(llmContent).toContain(`Plan approved.`);
    expect(plan.effects).toEqual([`mode ${mode}`, `plan ${plan.path}`]);
  });

  it.each([
    [{ approved: false, feedback: 'Smaller steps.' }, 'Plan rejected. User feedback: Smaller steps.'],
    [{ approved: false }, 'Plan rejected. No feedback provided.'],
    [undefined, 'Plan not approved: a headless run has no user to approve it.'],
  ])('stays in plan mode for %j', async (confirmation, text) => {
    await using plan = await open();
    const { llmContent } = await run(plan.tool, { plan_filename: 'plan.md' }, confirmation);
    expect((llmContent as string).startsWith(text)).toBe(true);
    expect(plan.effects).toEqual([]);
  });

  it('goes on by itself only where the person said so beforehand', async () => {
    await using plan = await open('yolo');
    await run(plan.tool, { plan_filename: 'plan.md' });
    expect(plan.effects).toEqual(['mode yolo', `plan ${plan.path}`]);
    await run(plan.tool, { plan_filename: 'plan.md' }, { approved: false });
    expect(plan.effects).toHaveLength(2);
  });

  it('takes only a plan with something in it, inside the plans directory', async () => {
    await using plan = await open();
    await symlink('../outside.md', join(plan.plansDirectory, 'link.md'));
    await mkdir(join(plan.plansDirectory, 'folder'));
    const types = ['nowhere.md', 'empty.md', '../outside.md', 'link.md', '/etc/hostname', 'folder'].map(
      (plan_filename) =>
        plan.tool
          .build({ plan_filename })
          .confirm(signal)
          .catch((error: { type: string }) => error.type),
    );
    expect(await Promise.all(types)).toEqual([
      'file_not_found',
      'read_content_failure',
      'path_not_in_workspace',
      'path_not_in_workspace',
      'file_not_found',
      'target_is_directory',
    ]);
  });
});
