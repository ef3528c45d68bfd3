/** Writes a message that an MCP server logged as one line. Pure. */

import { isRecord } from '../util/is-record.ts';
import { cleanLine } from './clean-text.ts';

const MAX_LOGGED = 500;

/** `params` of `notifications/message`. */
export function describeLog({ level, logger, data }: Record<string, unknown>): string {
  const said = isRecord(data) && typeof data['message'] === 'string' ? data['message'] : data;
  const words = typeof said === 'string' ? said : JSON.stringify(said ?? '');
  const who = typeof logger === 'string' ? `${logger}: ` : '';
  return cleanLine(`${typeof level === 'string' ? level : 'info'} ${who}${words}`, MAX_LOGGED);
}
