/**
 * Chooses the servers of a start: selects them, disables those the user disabled, and admits those of a trusted project.
 * Every other server has a reason.
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { userDirectory } from '../config/paths.ts';
import type { IdleEntry } from './mcp-manager.ts';
import { selectServers } from './select-servers.ts';
import type { ServerRestrictions } from './select-servers.ts';
import type { McpServer } from './server-config.ts';
import { admitServers, ServerConsent } from './server-consent.ts';
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
  /** False: the servers of a project are admitted without recording the consent. Default true. */
  isRecorded?: boolean | undefined;
}

export interface ChosenServers {
  servers: McpServer[];
  idle: IdleEntry[];
  /** Sentences for the user. */
  warnings: string[];
}

export function chooseServers(
  layers: readonly McpLayer[],
  disabled: readonly string[],
  options: ChooseServersOptions,
): ChosenServers {
  const { home, root, restrictions, trustedFolder, isTrustedForRun, hint, isRecorded = true } = options;
  const selection = selectServers(layers, { ...restrictions, disabled });
  const file = join(userDirectory(home), 'trusted_mcp_servers.json');
  const admission = admitServers(selection.servers, {
    trustedFolder,
    isTrustedForRun,
    hint,
    consent: () => new ServerConsent(file, realpathSync(root), { isRecorded }),
  });
  const invalid = selection.idle.filter(({ reason }) => reason === 'invalid');
  const refused = admission.refused.map(({ server: { name }, message }): IdleEntry => ({
    name,
    reason: 'untrusted',
    message,
  }));
  return {
    servers: admission.servers,
    idle: [...selection.idle, ...refused],
    warnings: [...selection.warnings, ...admission.messages, ...invalid.map(({ message }) => message)],
  };
}
