/** The audit log in words: one row for a line, and the result of a check. Pure. */

import { countOf } from '@castor/core/program';
import type { AuditLine, AuditReport } from '@castor/core/program';

const SESSION_LENGTH = 8;
const SHOWN_PROBLEMS = 20;

export function describeLine(line: AuditLine): string {
  const session = 'session' in line && line.session !== undefined ? line.session.slice(0, SESSION_LENGTH) : '';
  return `${line.at.slice(0, 19)}Z  ${session.padEnd(SESSION_LENGTH)}  ${describe(line)}`;
}

function describe(line: AuditLine): string {
  switch (line.kind) {
    case 'decision': {
      const { decision, tool, approver, answer, rule, source, mode, profile } = line;
      const by = approver === 'user' ? `user${answer === undefined ? '' : `: ${answer}`}` : approver;
      const because = [rule, source].filter((each) => each !== undefined).join(', ');
      const facts = [mode, profile].filter((each) => each !== undefined).join(', ');
      const agent = line.agent === undefined ? '' : ` for agent ${line.agent}`;
      return `${decision.padEnd(5)}  ${tool}${agent}  by ${by}${because === '' ? '' : ` (${because})`}${facts === '' ? '' : `  [${facts}]`}`;
    }
    case 'connection': {
      const { host, port, why, via, refusal, call } = line;
      const way = via === undefined ? '' : ` via ${via}`;
      const by = call === undefined ? '' : `, call ${call}`;
      return `${refusal === undefined ? 'open ' : 'shut '}  ${host}:${port}${way}  ${why}${by}${refusal === undefined ? '' : `: ${refusal}`}`;
    }
    case 'grant':
      return `grant  ${line.what}: ${line.answer}`;
    case 'start':
      return 'start  the log is required';
    case 'signature':
      return `sign   lines up to ${line.seq - 1}, key ${line.key}`;
    case 'torn':
      return `torn   ${line.bytes} bytes of a line that a program left when it was ended`;
    case 'headless':
      return 'head   the head was missing';
  }
}

export function describeReport(report: AuditReport): string {
  const { isIntact, lines, files, signatures, first, last, head, key, problems, notes } = report;
  const span = first === undefined ? '' : `, ${first} to ${last}`;
  const shown = problems.slice(0, SHOWN_PROBLEMS).map(({ where, says }) => `  ${where}: ${says}`);
  const more = problems.length - shown.length;
  const rows = [
    `${countOf(lines, 'line')} in ${countOf(files, 'file')}, ${countOf(signatures, 'signature')}${span}`,
    ...(key === undefined ? [] : [`Signed with the key ${key}.`]),
    ...notes.map((note) => `Note: ${note}`),
    ...(isIntact ? ['The audit log is intact.'] : ['The audit log is NOT intact:', ...shown]),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(head === undefined ? [] : [`Head: line ${head.seq}, ${head.hash}`]),
  ];
  return `${rows.join('\n')}\n`;
}
