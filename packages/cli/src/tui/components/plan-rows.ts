/** The rows of the plan: how far it is, and its steps. Pure. */

import { renderTodos } from '../conversation/todos.ts';
import type { FrameData } from './frame-data.ts';

/** With an empty row before them; none without a plan. */
export function planRows({ todos, styles, size }: Pick<FrameData, 'todos' | 'styles' | 'size'>): string[] {
  if (todos.length === 0) return [];
  const done = todos.filter(({ status }) => status === 'completed').length;
  const steps = renderTodos(todos, { styles, width: size.columns - 3 }).map((row) => `  ${row}`);
  return ['', styles.secondary(`  Plan ${done} of ${todos.length}`), ...steps];
}
