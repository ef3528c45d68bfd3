/** A sub-agent at work, as one row: its name, the last thing it did, how many calls it has made. Pure. */

import type { ToolCallView } from '@castor/core';
import { countOf } from '@castor/core/program';
import type { Styles } from '../theme/styles.ts';
import { renderTitle } from './call-title.ts';

const WAITS = /^asks: /;
/** Steps that are no calls: thoughts, questions, requests that are tried again. */
const NO_CALL = /^(?:\(.*\)$|asks: |waits: )/;

/** One that has done something; until then its task is shown. */
export function isRunningAgent({ name, status, output }: ToolCallView): boolean {
  return name === 'invoke_agent' && status === 'executing' && output.trim() !== '';
}

export function renderAgent(call: ToolCallView, { styles, width }: { styles: Styles; width: number }): string {
  const { display, output } = call;
  const steps = output.trim().split('\n');
  const [name = ''] = display.description.split(':');
  const last = steps.at(-1) ?? '';
  const act = WAITS.test(last) ? 'waits for your answer' : last.replace(/^\((.*)\)$/, '$1');
  const calls = steps.filter((step) => !NO_CALL.test(step)).length;
  const shown = { ...call, display: { ...display, description: `${name} · ${act}` } };
  return renderTitle(shown, { styles, width, facts: calls > 0 ? [countOf(calls, 'call')] : [] });
}
