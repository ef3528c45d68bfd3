/**
 * Decides whether the whole program runs in a container, and how, from Gemini CLI's settings and variables. It starts
 * nothing.
 */

import type { Configuration } from '@castor/core/program';
import type { CliArguments } from '../args/args.ts';
import { CONTAINER_KINDS } from './may-need-container.ts';
import type { ContainerKind } from './may-need-container.ts';
import { kindOfSandbox } from './sandbox.ts';

export interface ContainerRequest {
  kind: ContainerKind;
  image: string;
  /** Read-only in the container. */
  allowedPaths: readonly string[];
  /** False: the container has no way out but the proxy. */
  hasNetwork: boolean;
}

/** Has a Node, git and the tools that builds need. Castor itself is mounted into it. */
const DEFAULT_IMAGE = 'docker.io/library/node:24-bookworm';

/** Undefined: no container was asked for. Throws an ExitError for an unknown kind. */
export function chooseContainer(
  args: Pick<CliArguments, 'sandbox'>,
  { settings, environment, layers }: Configuration,
  home: string,
): ContainerRequest | undefined {
  const kind = kindOfSandbox({ args, settings, environment });
  if (kind === undefined || !isContainer(kind)) return undefined;
  // A variable replaces the kind alone; what the user wrote beside it in a file still counts.
  const written = layers.flatMap(({ values }) => {
    const tools = values['tools'] as { sandbox?: unknown } | undefined;
    return typeof tools?.sandbox === 'object' && tools.sandbox !== null ? [tools.sandbox as SandboxObject] : [];
  });
  const last = Object.assign({}, ...written) as SandboxObject;
  const paths = [...settings.tools.sandboxAllowedPaths, ...(last.allowedPaths ?? [])];
  return {
    kind,
    image:
      environment['GEMINI_SANDBOX_IMAGE'] || environment['GEMINI_SANDBOX_IMAGE_DEFAULT'] || last.image || DEFAULT_IMAGE,
    allowedPaths: paths.map((path) => path.replace(/^~(?=$|\/)/, home)),
    hasNetwork: last.networkAccess !== false,
  };
}

interface SandboxObject {
  image?: string;
  allowedPaths?: readonly string[];
  networkAccess?: boolean;
}

function isContainer(kind: string): kind is ContainerKind {
  return (CONTAINER_KINDS as readonly string[]).includes(kind);
}
