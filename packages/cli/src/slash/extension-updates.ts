/**
 * Checks the extensions for updates once a session is open: updates those that the user installed with --auto-update,
 * and names the others in one line. It never delays the start and reports no failure of a source.
 */

import { getErrorMessage, isAbortError } from '@castor/core';
import { ExtensionDesk } from '../commands/extension-desk.ts';
import type { DeskPort } from '../commands/extension-desk.ts';
import type { Start } from '../start/start.ts';

export interface UpdateSurface {
  info(line: string): void;
  warn(line: string): void;
}

export async function announceUpdates(
  surface: UpdateSurface,
  start: Start,
  port: DeskPort,
  signal: AbortSignal,
): Promise<void> {
  const { home, cwd, environment, settings, trustedFolder } = start;
  const desk = new ExtensionDesk({ home, cwd, environment, settings, trustedFolder, port, signal });
  const { extensions } = desk.list();
  const isWatched = extensions.some(({ installation }) => installation && installation.type !== 'link');
  if (!isWatched || settings.model.offline) return;
  try {
    const states = await desk.checkUpdates();
    const news = extensions.filter(({ name }) => states.get(name)?.state === 'update available');
    const automatic = news.filter(({ installation }) => installation?.autoUpdate === true).map(({ name }) => name);
    const { said, failed } = await desk.update(automatic);
    for (const line of said) surface.info(`${line} /extensions reload loads it.`);
    for (const line of failed) surface.warn(line);
    const left = news.map(({ name }) => name).filter((name) => !automatic.includes(name));
    if (left.length === 0) return;
    const count = left.length === 1 ? '1 extension' : `${left.length} extensions`;
    surface.info(`You have ${count} with an update available. Run "/extensions update ${left.join(' ')}".`);
  } catch (error) {
    if (!isAbortError(error)) surface.warn(`Checking extensions for updates failed: ${getErrorMessage(error)}`);
  }
}
