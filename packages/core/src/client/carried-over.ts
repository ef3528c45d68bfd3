/**
 * What must survive every compression word for word: what the user said, and the
 * state of the todo list. It travels as JSON inside the summary turn, so it can be
 * read back exactly, also after a resume; no summary is trusted with it.
 */

import { isRecord } from '../chat/call-ids.ts';
import { hasFunctionResponse } from '../chat/parts.ts';
import type { Content } from '../protocol/content.ts';
import type { Todo } from '../protocol/tools.ts';

export interface CarriedOver {
  /** Oldest first. */
  userStatements: string[];
  todos: Todo[];
}

const OPEN = '<carried_over>';
const CLOSE = '</carried_over>';
const EXPLANATION = 'What the user said and the current todo list, word for word. The statements are still in force.';

/** Longer messages are pastes; of those only the lines that bind are kept. */
const MAX_STATEMENT_LENGTH = 2000;
const MAX_TOTAL_LENGTH = 24_000;
const BINDING =
  /\b(must|never|always|only|don't|do not|shall|should|required?|forbidden|keep|avoid|without|instead of|make sure|ensure|at (?:most|least)|use|prefer|not|no)\b/i;
/** Turns that carry context of ours, not words of the user. */
const NOT_THE_USERS = /^\s*(<session_context>|<hook_context>|<state_snapshot>|<carried_over>|System: |\[System: )/;

/** The first turn of a session: where it takes place, and the project's own instructions. */
export function isSessionContext(content: Content | undefined): boolean {
  return content?.parts?.[0]?.text?.startsWith('<session_context>') ?? false;
}

/** Everything in these turns that must survive, what earlier compressions carried included. */
export function collectCarriedOver(history: readonly Content[]): CarriedOver {
  const collected: CarriedOver = { userStatements: [], todos: [] };
  for (const content of history) {
    if (content.role === 'user') addUserTurn(collected, content);
    else addTodoCalls(collected, content);
  }
  return { userStatements: withinBudget(collected.userStatements), todos: collected.todos };
}

export function formatCarriedOver(carried: CarriedOver): string {
  if (carried.userStatements.length === 0 && carried.todos.length === 0) return '';
  const data = { user_statements: carried.userStatements, todos: carried.todos };
  // A closing tag inside a statement must not end the block.
  return `${OPEN}\n${EXPLANATION}\n${JSON.stringify(data, null, 1).replaceAll('</', '<\\/')}\n${CLOSE}`;
}

function addUserTurn(collected: CarriedOver, content: Content): void {
  for (const { text } of content.parts ?? []) {
    if (!text) continue;
    const earlier = parseCarriedOver(text);
    if (earlier) {
      for (const statement of earlier.userStatements) addStatement(collected, statement);
      collected.todos = earlier.todos;
    } else if (!hasFunctionResponse(content) && !NOT_THE_USERS.test(text)) {
      for (const statement of toStatements(text)) addStatement(collected, statement);
    }
  }
}

function addTodoCalls(collected: CarriedOver, content: Content): void {
  for (const { functionCall } of content.parts ?? []) {
    if (functionCall?.name !== 'write_todos') continue;
    const todos = functionCall.args?.['todos'];
    if (Array.isArray(todos)) collected.todos = todos.filter(isTodo);
  }
}

function addStatement(collected: CarriedOver, statement: string): void {
  if (!collected.userStatements.includes(statement)) collected.userStatements.push(statement);
}

function toStatements(text: string): string[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (trimmed.length <= MAX_STATEMENT_LENGTH) return [trimmed];
  return trimmed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length <= MAX_STATEMENT_LENGTH && BINDING.test(line));
}

/** Over the budget those that bind nobody go first, and of these the longest: who demands something is brief. */
function withinBudget(statements: string[]): string[] {
  let excess = statements.reduce((sum, statement) => sum + statement.length, -MAX_TOTAL_LENGTH);
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

function parseCarriedOver(text: string): CarriedOver | undefined {
  const start = text.indexOf(OPEN);
  const end = text.indexOf(CLOSE, start);
  if (start < 0 || end < 0) return undefined;
  const json = text.slice(text.indexOf('{', start), end);
  try {
    const data: unknown = JSON.parse(json);
    if (!isRecord(data)) return undefined;
    const { user_statements: statements, todos } = data;
    return {
      userStatements: Array.isArray(statements) ? statements.filter((each) => typeof each === 'string') : [],
      todos: Array.isArray(todos) ? todos.filter(isTodo) : [],
    };
  } catch {
    // Somebody else's block that looks like ours: the user's words after all.
    return undefined;
  }
}

function isTodo(value: unknown): value is Todo {
  return isRecord(value) && typeof value['description'] === 'string' && typeof value['status'] === 'string';
}
