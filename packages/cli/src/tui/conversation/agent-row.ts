/** A sub-agent at work, as one row: its name, the last thing it did, how many calls it has made. Pure. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
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
  const { display, output } = call;
  const steps = output.trim().split('\n');
  const [name = ''] = display.description.split(':');
  const last = steps.at(-1) ?? '';
  const act = WAITS.test(last) ? 'waits for your answer' : actOf(last);
  const calls = steps.filter((step) => !NO_CALL.test(step)).length;
  const shown = { ...call, display: { ...display, description: `${name} · ${act}` } };
  const facts = [calls > 0 && countOf(calls, 'call'), age].filter((fact) => typeof fact === 'string');
  return renderTitle(shown, { styles, width, facts });
}

/** A step in the words of the status row: `Searching "totalOf"`. */
function actOf(step: string): string {
  const [name = ''] = step.split(' ', 1);
  const verb = VERBS[name];
  if (verb === undefined) return step.replace(/^\((.*)\)$/, '$1');
  return `${verb} ${step.slice(name.length + 1).replace(/^'(.*?)'/, '"$1"')}`;
}
