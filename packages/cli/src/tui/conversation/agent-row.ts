/** A sub-agent as one row: at work its name, its last act and what it took so far; at its end what it took in all. Pure. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import { shortCost, shortCount } from '../../short-numbers.ts';
import type { Styles } from '../theme/styles.ts';
import { renderTitle } from './call-title.ts';

/** By the name a step begins with. */
const VERBS: Readonly<Record<string, string>> = {
  ReadFile: 'Reading',
  ReadFolder: 'Listing',
  FindFiles: 'Finding',
  SearchText: 'Searching',
  WriteFile: 'Writing',
  Edit: 'Editing',
  Shell: 'Running',
  WebFetch: 'Fetching',
};
const WAITS = /^asks: /;
/** From here on a count is written with a `k`. */
const LEAST_BARE = 1_000;
/** Steps that are no calls: thoughts, questions, requests that are tried again. */
const NO_CALL = /^(?:\(.*\)$|asks: |waits: )/;

/** One that has done something; until then its task is shown. */
export function isRunningAgent({ name, status, output }: ToolCallView): boolean {
  return name === 'invoke_agent' && status === 'executing' && output.trim() !== '';
}

export interface AgentOptions {
  readonly styles: Styles;
  readonly width: number;
  /** How long it has been at work, in words. */
  readonly age?: string | undefined;
}

export function renderAgent(call: ToolCallView, { styles, width, age }: AgentOptions): string {
  const { display, output, child } = call;
  const steps = output.trim().split('\n');
  const [name = ''] = display.description.split(':');
  const last = steps.at(-1) ?? '';
  const act = WAITS.test(last) || isAsking(child) ? 'waits for your answer' : actOf(last);
  const calls = steps.filter((step) => !NO_CALL.test(step)).length;
  const shown = { ...call, display: { ...display, description: `${name} · ${act}` } };
  const tokens = child?.tokens ?? 0;
  const facts = [calls > 0 && countOf(calls, 'call'), age, tokens > 0 && tokenText(tokens)];
  return renderTitle(shown, { styles, width, facts: facts.filter((fact) => typeof fact === 'string') });
}

/** Its question may be told before or after the step that it is about. */
function isAsking(child: ToolCallView['child']): boolean {
  return child?.calls.some(({ status }) => status === 'awaiting_approval') ?? false;
}

/** Handing in its result is no work of its own. */
const LAST_CALL = 'complete_task';

/** What it took in all, around how long it took: `12 calls`, `1m 04s`, `31k`, `$0.03`. */
export function factsOfAgent({ child, spent }: ToolCallView, took: string | undefined): string[] {
  const made = child ? child.omittedCalls + child.calls.filter(({ name }) => name !== LAST_CALL).length : 0;
  return [
    made > 0 && countOf(made, 'call'),
    took,
    spent !== undefined && spent.tokens > 0 && tokenText(spent.tokens),
    spent?.usd !== undefined && spent.usd > 0 && shortCost(spent.usd),
  ].filter((fact) => typeof fact === 'string');
}

/** `18.2k` beside calls and seconds is known for tokens; a bare `30` is not. */
function tokenText(tokens: number): string {
  return tokens < LEAST_BARE ? countOf(tokens, 'token') : shortCount(tokens);
}

/** A step in the words of the status row: `Searching "totalOf"`. */
function actOf(step: string): string {
  const [name = ''] = step.split(' ', 1);
  const verb = VERBS[name];
  if (verb === undefined) return step.replace(/^\((.*)\)$/, '$1');
  return `${verb} ${step.slice(name.length + 1).replace(/^'(.*?)'/, '"$1"')}`;
}
