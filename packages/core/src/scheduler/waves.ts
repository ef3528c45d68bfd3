/**
 * Groups the calls of a turn that run together: neighbours that cannot interfere with each other, in the model's
 * order. Pure.
 */

import type { ToolCallRequestInfo } from '../protocol/tool-calls.ts';

const TOPIC_TOOL = 'update_topic';
/** They change files that the others may read. */
const RUN_ALONE: ReadonlySet<string> = new Set([TOPIC_TOOL, 'replace', 'write_file', 'apply_patch']);

export function toWaves(requests: readonly ToolCallRequestInfo[]): ToolCallRequestInfo[][] {
  const waves: ToolCallRequestInfo[][] = [];
  let isOpen = false;
  for (const request of topicFirst(requests)) {
    const isParallel = !RUN_ALONE.has(request.name) && request.args['wait_for_previous'] !== true;
    if (isParallel && isOpen) waves.at(-1)?.push(request);
    else waves.push([request]);
    isOpen = !RUN_ALONE.has(request.name);
  }
  return waves;
}

function topicFirst(requests: readonly ToolCallRequestInfo[]): ToolCallRequestInfo[] {
  const isTopic = ({ name }: ToolCallRequestInfo) => name === TOPIC_TOOL;
  return [...requests.filter(isTopic), ...requests.filter((request) => !isTopic(request))];
}
