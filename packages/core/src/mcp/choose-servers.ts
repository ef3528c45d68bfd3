/**
 * Chooses the servers of a start: selects them, disables those the user disabled, and admits those of a trusted project.
 * Every other server has a reason.
 */

import type { IdleEntry } from './mcp-manager.ts';
import { selectServers } from './select-servers.ts';
import type { ServerRestrictions } from './select-servers.ts';
import type { McpServer } from './server-config.ts';
import { admitServers, openServerConsent } from './server-consent.ts';
import type { UnsettledServer } from './server-consent.ts';
import type { McpLayer } from './server-layer.ts';

export interface ChooseServersOptions {
  home: string;
  /** The folder the agent works in. */
  root: string;
  restrictions?: ServerRestrictions | undefined;
  trustedFolder: boolean | undefined;
  isTrustedForRun: boolean;
  /** A sentence on how the user consents. */
  hint?: string | undefined;
  /** A sentence on how the user trusts the folder. */
  trustHint?: string | undefined;
  /** Whether the user has agreed to the entries elsewhere, such as to those of an acknowledged agent. Default false. */
  isAgreed?: boolean | undefined;
}

export interface ChosenServers {
  servers: McpServer[];
  idle: IdleEntry[];
  /** Those of the idle that start once the user consents. */
  unsettled: UnsettledServer[];
  /** Sentences for the user. */
  warnings: string[];
  /** Those of them about what is written in the entries. */
  mistakes: string[];
}

export function chooseServers(
  layers: readonly McpLayer[],
  disabled: readonly string[],
  options: ChooseServersOptions,
): ChosenServers {
  const { home, root, restrictions, trustedFolder, isTrustedForRun, hint, trustHint, isAgreed = false } = options;
  const selection = selectServers(layers, { ...restrictions, disabled });
  const known = new Set([...selection.servers, ...selection.idle].map(({ name }) => name));
  const admission = admitServers(selection.servers, {
    trustedFolder,
    isTrustedForRun,
    hint,
    trustHint,
    home,
    root,
    withheld: layers.flatMap(({ withheld = [] }) => withheld).filter((name) => !known.has(name)),
    consent: isAgreed ? undefined : () => openServerConsent({ home, root }),
  });
  const invalid = selection.idle.filter(({ reason }) => reason === 'invalid');
  const refused = admission.refused.map(({ name, message }): IdleEntry => ({
    name,
    reason: 'untrusted',
    message,
  }));
  return {
    servers: admission.servers,
    idle: [...selection.idle, ...refused],
    unsettled: admission.unsettled,
    mistakes: selection.warnings,
    warnings: [...selection.warnings, ...admission.messages, ...invalid.map(({ message }) => message)],
  };
}
