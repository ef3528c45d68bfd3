/**
 * Defines the four approval modes and their two spellings: one inside the program and in
 * rule files, one on the command line and in settings. A mode limits or extends rules; it
 * decides nothing by itself.
 */

export const APPROVAL_MODES = ['plan', 'default', 'autoEdit', 'yolo'] as const;

/** Ordered from the strictest to the most permissive. */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

const BY_CLI_NAME: Readonly<Record<string, ApprovalMode>> = {
  default: 'default',
  auto_edit: 'autoEdit',
  yolo: 'yolo',
  plan: 'plan',
};

/** Accepts both spellings; undefined for anything else. */
export function parseApprovalMode(text: string): ApprovalMode | undefined {
  if (Object.hasOwn(BY_CLI_NAME, text)) return BY_CLI_NAME[text];
  return APPROVAL_MODES.find((mode) => mode === text);
}

export function toCliName(mode: ApprovalMode): string {
  return mode === 'autoEdit' ? 'auto_edit' : mode;
}

/** The mode itself and every more permissive one: the modes in which an answer of "always" applies. */
export function modesFrom(mode: ApprovalMode): ApprovalMode[] {
  return APPROVAL_MODES.slice(APPROVAL_MODES.indexOf(mode));
}
