/** The built-in agents: one that only reads, one for everything, and one that answers from our documentation. */

import { isRecord } from '../util/is-record.ts';
import type { LocalAgent } from './agent-definition.ts';
import { INHERIT } from './agent-definition.ts';
import { BUILTIN_AGENTS } from './offered-agents.ts';

const COMMON = { kind: 'local', source: 'builtin', servers: {}, model: INHERIT } as const;
const TEXTS = { type: 'array', items: { type: 'string' } } as const;

const INVESTIGATOR: LocalAgent = {
  ...COMMON,
  name: 'codebase_investigator',
  displayName: 'Codebase Investigator',
  description: BUILTIN_AGENTS.codebase_investigator,
  inputName: 'objective',
  tools: ['list_directory', 'read_file', 'glob', 'grep_search'],
  generation: { temperature: 0.1 },
  maxTurns: 50,
  maxMinutes: 10,
  prompt: `You investigate a code base for another agent, which will act on your report without reading the code again. You only read: you change nothing and write no code.

Keep a scratchpad in your thoughts and update it after every result: a checklist of what to find out, the open questions, the findings. You are done when no question is open, not at the first hit.
- Start from the names in the task: search for them, read the definitions, then the callers, the tests and the configuration.
- Follow side effects, types and data across files. Say what a change would have to touch, and what it could break.
- Every statement of the report has a file and a symbol that you have read. What you could not find out is stated as such.`,
  output: {
    name: 'report',
    description: 'The findings.',
    schema: {
      type: 'object',
      properties: {
        SummaryOfFindings: { type: 'string', description: 'The answer, with the causes and what a change must touch.' },
        ExplorationTrace: { ...TEXTS, description: 'The steps that led to it.' },
        RelevantLocations: {
          type: 'array',
          items: {
            type: 'object',
            properties: { FilePath: { type: 'string' }, Reasoning: { type: 'string' }, KeySymbols: TEXTS },
            required: ['FilePath', 'Reasoning', 'KeySymbols'],
          },
        },
      },
      required: ['SummaryOfFindings', 'ExplorationTrace', 'RelevantLocations'],
    },
    render: (value) => JSON.stringify(value, undefined, 2),
  },
};

const GENERALIST: LocalAgent = {
  ...COMMON,
  name: 'generalist',
  displayName: 'Generalist',
  description: BUILTIN_AGENTS.generalist,
  inputName: 'request',
  maxTurns: 20,
  maxMinutes: 10,
  usesMainPrompt: true,
  prompt: '',
  output: {
    name: 'result',
    description: 'The result.',
    schema: {
      type: 'object',
      properties: { response: { type: 'string', description: 'What was done and found, complete.' } },
      required: ['response'],
    },
    render: (value) => (isRecord(value) && typeof value['response'] === 'string' ? value['response'] : ''),
  },
};

const HELP: LocalAgent = {
  ...COMMON,
  name: 'cli_help',
  displayName: 'CLI Help',
  description: BUILTIN_AGENTS.cli_help,
  inputName: 'question',
  tools: ['get_internal_docs'],
  maxTurns: 10,
  maxMinutes: 3,
  readsDocumentation: true,
  prompt: `You answer questions about Castor, the program you run in (version \${cliVersion}, model \${activeModel}, today \${today}), from its documentation only.

Call get_internal_docs without a path for the list of pages, then with the path of each page you need. Quote settings, flags and commands exactly. If the documentation does not answer the question, say so; never guess.`,
  output: {
    name: 'report',
    description: 'The answer.',
    schema: {
      type: 'object',
      properties: {
        answer: { type: 'string', description: 'In Markdown.' },
        sources: { ...TEXTS, description: 'The pages it is from.' },
      },
      required: ['answer', 'sources'],
    },
    render(value) {
      if (!isRecord(value)) return '';
      const sources = Array.isArray(value['sources']) ? value['sources'].map((each) => `- ${String(each)}`) : [];
      return [String(value['answer']), ...(sources.length > 0 ? ['', '**Sources:**', ...sources] : [])].join('\n');
    },
  },
};

export const BUILTIN_DEFINITIONS: readonly LocalAgent[] = [INVESTIGATOR, GENERALIST, HELP];
