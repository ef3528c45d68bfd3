/** Opens an address in the user's browser, where this machine has one. */

import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined over ssh, in CI, without a screen, or where the user said no. */
export function browserCommand(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  const { NO_BROWSER, CI, DEBIAN_FRONTEND, SSH_CONNECTION, SSH_CLIENT, SSH_TTY, BROWSER } = environment;
  if (NO_BROWSER || CI || DEBIAN_FRONTEND === 'noninteractive' || BROWSER === 'www-browser') return undefined;
  if (BROWSER) return BROWSER.split(' ').filter((word) => word !== '');
  if (SSH_CONNECTION || SSH_CLIENT || SSH_TTY) return undefined;
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = environment['DISPLAY'] || environment['WAYLAND_DISPLAY'] || environment['MIR_SOCKET'];
  return hasScreen ? ['xdg-open'] : undefined;
}

/** Resolves to whether the browser's program started; it is not waited for. */
export async function openBrowser(url: string, environment: Environment): Promise<boolean> {
  const [command, ...args] = browserCommand(environment) ?? [];
  if (command === undefined || !/^https?:\/\//.test(url)) return false;
  return new Promise((resolve) => {
    const env = { ...environment } as NodeJS.ProcessEnv;
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, env });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
