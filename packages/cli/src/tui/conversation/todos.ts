/** Renders the list of todos as rows. Pure. */

import type { Todo, TodoStatus } from '@castor/core';
import { sanitizeLine } from '../../sanitize.ts';
import type { Styles } from '../theme/styles.ts';
import { wrapRows } from '../text/wrap-rows.ts';

const MARKS: Readonly<Record<TodoStatus, string>> = {
  pending: '☐',
  in_progress: '▸',
  completed: '✓',
  cancelled: '-',
  blocked: '!',
};

export function renderTodos(todos: readonly Todo[], { styles, width }: { styles: Styles; width: number }): string[] {
  if (todos.length === 0) return [styles.secondary('The list is empty.')];
  return todos.flatMap(({ description, status }) => {
    const look = styleOf(status, styles);
    return wrapRows(look(sanitizeLine(description)), { width, first: look(`${MARKS[status]} `) });
  });
}

function styleOf(status: TodoStatus, styles: Styles): (text: string) => string {
  switch (status) {
    case 'in_progress':
      return (text) => styles.bold(styles.accent(text));
    case 'completed':
      return styles.secondary;
    case 'cancelled':
      return styles.secondary;
    case 'blocked':
      return styles.warning;
    case 'pending':
      return styles.primary;
  }
}
