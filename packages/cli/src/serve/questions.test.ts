import type { ToolCallConfirmationDetails } from '@castor/core';
import { describe, expect, it } from 'vitest';
import { fallbackIntent, fallbackQuestion, questionOf, responseTo } from './questions.ts';

const EXEC: ToolCallConfirmationDetails = {
  type: 'exec',
  title: 'Run',
  command: 'rm -rf build\u202e && ls',
  rootCommand: 'rm',
  rootCommands: ['rm', 'ls'],
  reason: 'it deletes files',
};
const EDIT: ToolCallConfirmationDetails = {
  type: 'edit',
  title: 'Edit',
  fileName: 'a',
  filePath: '/p/a',
  fileDiff: '-x\n+y',
  originalContent: 'x',
  newContent: 'y',
};
const MCP: ToolCallConfirmationDetails = {
  type: 'mcp',
  title: 'Call',
  serverName: 's',
  toolName: 't',
  toolDisplayName: 'T',
  args: { path: '/x' },
  changed: 'The schema changed.',
};
const INFO: ToolCallConfirmationDetails = { type: 'info', title: 'Fetch', prompt: 'p', urls: ['https://a.example'] };
const PLAN: ToolCallConfirmationDetails = { type: 'exit_plan_mode', title: 'Plan', planPath: '/p/plan.md' };
const ASK: ToolCallConfirmationDetails = {
  type: 'ask_user',
  title: 'Ask',
  questions: [
    {
      question: 'Which?',
      header: 'Db',
      type: 'choice',
      options: [
        { label: 'pg', description: 'big' },
        { label: 'lite', description: '' },
      ],
    },
    { question: 'Sure?', header: '', type: 'yesno' },
    { question: 'Name?', header: 'Name', type: 'text' },
    { question: 'All?', header: 'All', type: 'choice', multiSelect: true, options: [{ label: 'a', description: '' }] },
  ],
};

describe('the form for a call', () => {
  it.each<[string, ToolCallConfirmationDetails, string[]]>([
    [
      'a command',
      EXEC,
      [String.raw`run this command:`, String.raw`rm -rf build\u{202e} && ls`, 'because it deletes files'],
    ],
    ['an edit', EDIT, ['change /p/a:', '-x\n+y']],
    ['a tool of a server', MCP, ['call t of the MCP server s', 'The schema changed.', '"path": "/x"']],
    ['a page', INFO, ['p\nhttps://a.example']],
  ])('of %s says all it would do, with hidden characters spelled out', (_name, details, parts) => {
    const { message, properties } = questionOf(details, false);
    for (const part of parts) expect(message).toContain(part);
    expect(properties['decision']?.['enum']).toEqual(['Allow once', 'Allow for the rest of this prompt', 'No']);
  });

  it('names a sub-agent that asks', () => {
    expect(questionOf(EXEC, true).message).toMatch(/^A sub-agent of Castor wants to run/);
  });

  it('never shortens a command', () => {
    const command = `echo ${'x'.repeat(100_000)} && rm y`;
    expect(questionOf({ ...EXEC, command }, false).message).toContain('&& rm y');
  });
});

describe('the answer', () => {
  it.each<[string, ToolCallConfirmationDetails, Record<string, unknown> | undefined, object]>([
    ['once', EXEC, { decision: 'Allow once' }, { outcome: 'proceed_once' }],
    ['for the rest', EXEC, { decision: 'Allow for the rest of this prompt' }, { outcome: 'proceed_always' }],
    [
      'for the rest, of a server',
      MCP,
      { decision: 'Allow for the rest of this prompt' },
      { outcome: 'proceed_always_tool' },
    ],
    ['no', EXEC, { decision: 'No' }, { outcome: 'cancel' }],
    ['declined', EXEC, undefined, { outcome: 'cancel' }],
    ['without a decision', EXEC, {}, { outcome: 'cancel' }],
    ['a decision that was not offered', EXEC, { decision: 'toString' }, { outcome: 'cancel' }],
    ['a decision that is a number', EXEC, { decision: 1 }, { outcome: 'cancel' }],
    [
      'a plan with edits',
      PLAN,
      { decision: 'Yes, and accept edits without asking' },
      { outcome: 'proceed_once', payload: { approved: true, approvalMode: 'autoEdit' } },
    ],
    [
      'a plan with words',
      PLAN,
      { decision: 'No, describe the changes', feedback: ' smaller ' },
      { outcome: 'proceed_once', payload: { approved: false, feedback: 'smaller' } },
    ],
    [
      'words to questions',
      ASK,
      { answer_1: 'pg', answer_2: 'Yes', answer_3: 'x', answer_4: 4 },
      { outcome: 'proceed_once', payload: { answers: { 0: 'pg', 1: 'Yes', 2: 'x', 3: '' } } },
    ],
  ])('%s becomes the outcome', (_name, details, answer, response) => {
    expect(responseTo(details, answer)).toEqual(response);
  });

  it('to a model without quota continues only when the user says so', () => {
    expect(fallbackQuestion('No quota.', 'small').message).toBe('No quota.\nContinue with small?');
    expect([{ decision: 'Continue' }, { decision: 'Stop' }, undefined].map(fallbackIntent)).toEqual([
      'retry_always',
      'stop',
      'stop',
    ]);
  });
});

it('questions of the model become fields of text, with the choices in words', () => {
  const { properties, required } = questionOf(ASK, false);
  expect(required).toEqual(['answer_1', 'answer_2', 'answer_3', 'answer_4']);
  expect(properties).toEqual({
    answer_1: { type: 'string', title: 'Db', description: 'Which?\nOne of these, or your own words: pg (big); lite' },
    answer_2: { type: 'string', title: 'A question', description: 'Sure?', enum: ['Yes', 'No'] },
    answer_3: { type: 'string', title: 'Name', description: 'Name?' },
    answer_4: { type: 'string', title: 'All', description: 'All?\nAny of these, with commas between them: a' },
  });
});
