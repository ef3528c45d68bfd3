/**
 * Carries over what must survive every compression verbatim: the user's statements and the state of the todo list.
 * They travel as JSON inside the summary turn, so they can be parsed back exactly, also after a resume; the summary
 * itself is not trusted with them.
 */

import { hasFunctionResponse } from '../chat/parts.ts';
import type { Content } from '../protocol/content.ts';
import type { Todo } from '../protocol/tools.ts';
import { isRecord } from '../util/is-record.ts';

export interface CarriedOver {
  /** Oldest first. */
  userStatements: string[];
  /** Lines of the user's pastes that may be binding; statements take precedence in the budget. */
  pastedLines: string[];
  todos: Todo[];
}

/** Each once, in order of first occurrence: a paste may have any number of lines. */
interface Collected {
  userStatements: Set<string>;
  pastedLines: Set<string>;
  todos: Todo[];
}

const OPEN = '<carried_over>';
const CLOSE = '</carried_over>';
const EXPLANATION = "The user's statements and the current todo list, word for word. The statements still apply.";

/** Longer messages are pastes; only their binding lines are kept. */
const MAX_STATEMENT_LENGTH = 2000;
const MAX_TOTAL_LENGTH = 24_000;
const MAX_PASTED_LENGTH = 8000;
const BINDING =
  /\b(must|never|always|only|don't|do not|shall|should|required?|forbidden|keep|avoid|without|instead of|make sure|ensure|at (?:most|least)|use|prefer|not|no)\b/i;
/** Texts of ours or output of a program, as opposed to words of the user. */
const NOT_THE_USERS =
  /^\s*(<session_context>|<hook_context>|<state_snapshot>|<carried_over>|System: |\[System: |\[The budget of this run |I ran the following shell command:\n|[^\n]*\buser's editor\b[^\n]*\n```json\n)/;
/** Content of files the user referenced: others may have written it. */
const FILES_BEGIN = '--- Content from referenced files ---';
const FILES_END = '--- End of content ---';

/** The first turn of a session: its environment and the project's own instructions. */
export function isSessionContext(content: Content | undefined): boolean {
  return content?.parts?.[0]?.text?.startsWith('<session_context>') ?? false;
}

/** The last turn that holds words of the user. */
export function findLastWords(history: readonly Content[]): Content | undefined {
  return history.findLast(
    (content) =>
      content.role === 'user' &&
      !hasFunctionResponse(content) &&
      content.parts?.some(({ text }) => text && !NOT_THE_USERS.test(text) && !parseCarriedOver(text)),
  );
}

/**
 * Everything in these turns that must survive, including what earlier compressions carried over, up to `limit`
 * characters and our own limit.
 */
export function collectCarriedOver(history: readonly Content[], limit = MAX_TOTAL_LENGTH): CarriedOver {
  const collected: Collected = { userStatements: new Set(), pastedLines: new Set(), todos: [] };
  for (const content of history) {
    if (content.role === 'user') addUserTurn(collected, content);
    else addTodoCalls(collected, content);
  }
  const userStatements = withinBudget([...collected.userStatements], Math.min(limit, MAX_TOTAL_LENGTH));
  const room = Math.min(MAX_PASTED_LENGTH, Math.min(limit, MAX_TOTAL_LENGTH) - lengthOf(userStatements));
  return { userStatements, pastedLines: withinBudget([...collected.pastedLines], room), todos: collected.todos };
}

export function formatCarriedOver(carried: CarriedOver): string {
  const { userStatements, pastedLines, todos } = carried;
  if (userStatements.length + pastedLines.length + todos.length === 0) return '';
  const data = {
    user_statements: userStatements,
    ...(pastedLines.length > 0 && { pasted_lines: pastedLines }),
    todos,
  };
  // A closing tag inside a statement must not end the block.
  return `${OPEN}\n${EXPLANATION}\n${JSON.stringify(data, null, 1).replaceAll('</', '<\\/')}\n${CLOSE}`;
}

function addUserTurn(collected: Collected, content: Content): void {
  let isQuoted = false;
  for (const { text } of content.parts ?? []) {
    if (!text) continue;
    const line = text.trim();
    if (line === FILES_BEGIN || line === FILES_END) isQuoted = line === FILES_BEGIN;
    const earlier = isQuoted ? undefined : parseCarriedOver(text);
    if (earlier) {
      for (const statement of earlier.userStatements) collected.userStatements.add(statement);
      for (const pasted of earlier.pastedLines) collected.pastedLines.add(pasted);
      collected.todos = earlier.todos;
    } else if (!isQuoted && line !== FILES_END && !hasFunctionResponse(content) && !NOT_THE_USERS.test(text)) {
      addWords(collected, line);
    }
  }
}

function addWords(collected: Collected, words: string): void {
  if (words === '') return;
  if (words.length <= MAX_STATEMENT_LENGTH) {
    collected.userStatements.add(words);
    return;
  }
  for (const line of words.split('\n').map((each) => each.trim())) {
    if (line.length <= MAX_STATEMENT_LENGTH && BINDING.test(line)) collected.pastedLines.add(line);
  }
}

function addTodoCalls(collected: Collected, content: Content): void {
  for (const { functionCall } of content.parts ?? []) {
    if (functionCall?.name !== 'write_todos') continue;
    const todos = functionCall.args?.['todos'];
    if (Array.isArray(todos)) collected.todos = todos.filter(isTodo);
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** Over the budget, statements without a demand are dropped first, the longest first: demands are short. */
function withinBudget(statements: string[], budget: number): string[] {
  let excess = lengthOf(statements) - budget;
  if (excess <= 0) return statements;
  const dropped = new Set<string>();
  const isBinding = (statement: string) => Number(BINDING.test(statement));
  for (const statement of statements.toSorted((a, b) => isBinding(a) - isBinding(b) || b.length - a.length)) {
    if (excess <= 0) break;
    dropped.add(statement);
    excess -= statement.length;
  }
  return statements.filter((statement) => !dropped.has(statement));
}

/** Only a block at the end of a text is ours: a summary, or a file, may contain a lookalike. */
function parseCarriedOver(text: string): CarriedOver | undefined {
  if (!text.endsWith(CLOSE)) return undefined;
  const head = `${OPEN}\n${EXPLANATION}\n`;
  const start = text.lastIndexOf(head);
  if (start < 0) return undefined;
  const json = text.slice(start + head.length, -CLOSE.length);
  try {
    const data: unknown = JSON.parse(json);
    if (!isRecord(data)) return undefined;
    const { user_statements: statements, pasted_lines: pasted, todos } = data;
    return {
      userStatements: toTexts(statements),
      pastedLines: toTexts(pasted),
      todos: Array.isArray(todos) ? todos.filter(isTodo) : [],
    };
  } catch {
    // An invalid block counts as the user's text.
    return undefined;
  }
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function isTodo(value: unknown): value is Todo {
  return isRecord(value) && typeof value['description'] === 'string' && typeof value['status'] === 'string';
}
