/** The modes and models a user of an editor may choose from, in the forms old and new editors read. Pure. */

import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ApprovalMode } from '@castor/core';
import { assertYolo } from '../start/approval.ts';
import type { Start } from '../start/start.ts';
import { EDITOR_HINTS } from './editor-hints.ts';
import type { OfferedModel } from './other-models.ts';

const MODES: readonly { id: ApprovalMode; name: string; description: string }[] = [
  { id: 'default', name: 'Default', description: 'Prompts for approval' },
  { id: 'autoEdit', name: 'Auto Edit', description: 'Auto-approves edit tools' },
  { id: 'yolo', name: 'YOLO', description: 'Auto-approves all tools' },
  { id: 'plan', name: 'Plan', description: 'Read-only mode' },
];

const MODELS: readonly { id: string; description: string }[] = [
  { id: 'auto', description: 'Chooses a Gemini model for each prompt' },
  { id: 'pro', description: 'The strongest Gemini model' },
  { id: 'flash', description: 'A fast Gemini model' },
  { id: 'flash-lite', description: 'The fastest Gemini model' },
];

const NOT_TRUSTED = `the folder is not trusted. ${EDITOR_HINTS.trustFolder}`;

type Choosing = Pick<Start, 'settings' | 'trustedFolder'> & {
  /** The models of other providers. */
  readonly others?: readonly OfferedModel[];
};

/** Those the settings and the trust in the folder allow. */
export function allowedModes({ settings, trustedFolder }: Choosing): typeof MODES {
  return MODES.filter(({ id }) => {
    if (id === 'default') return true;
    if (id === 'plan') return settings.general.plan.enabled;
    // An editor cannot ask about trust: a folder without a decision is not trusted.
    if (trustedFolder !== true) return false;
    return id !== 'yolo' || isYoloAllowed(settings);
  });
}

/** The start with a mode that is allowed here; a flag in the editor's configuration holds for every folder it opens. */
export function withAllowedMode(start: Start): Start {
  const { approval, trustedFolder } = start;
  if (trustedFolder === true || allowedModes(start).some(({ id }) => id === approval.mode)) return start;
  return {
    ...start,
    approval: { ...approval, mode: 'default' },
    warnings: [...start.warnings, `the approval mode is default, not ${approval.mode}: ${NOT_TRUSTED}`],
    notices: [],
  };
}

/** Why a mode is refused; undefined for one that is allowed. */
export function refusalOf(start: Choosing, mode: string): string | undefined {
  if (allowedModes(start).some(({ id }) => id === mode)) return undefined;
  const isKnown = MODES.some(({ id }) => id === mode);
  const why = isKnown && mode !== 'plan' && start.trustedFolder !== true ? `: ${NOT_TRUSTED}` : '';
  return `Invalid or unavailable mode: ${mode}${why}`;
}

function isYoloAllowed(settings: Start['settings']): boolean {
  try {
    assertYolo(settings);
    return true;
  } catch {
    // The settings say why; the mode is not offered.
    return false;
  }
}

export function modeState(start: Choosing, current: string): SessionModeState {
  return { currentModeId: current, availableModes: [...allowedModes(start)] };
}

/** The names of models, the current one included. */
export function modelNames(start: Choosing, current: string): readonly OfferedModel[] {
  const own = Object.keys(start.settings.modelConfigs.customAliases).map((id) => ({ id, description: 'Your alias' }));
  const all = [...MODELS, ...own, ...(start.others ?? [])];
  return all.some(({ id }) => id === current) ? all : [{ id: current }, ...all];
}

/** `models` of older editors, which the protocol no longer has. */
export function modelState(start: Choosing, current: string) {
  return {
    currentModelId: current,
    availableModels: modelNames(start, current).map(({ id, description }) => ({
      modelId: id,
      name: id,
      ...(description !== undefined && { description }),
    })),
  };
}

export function configOptions(start: Choosing, mode: string, model: string): SessionConfigOption[] {
  return [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      description: 'Which calls run without asking',
      category: 'mode',
      currentValue: mode,
      options: allowedModes(start).map(({ id, ...shown }) => ({ value: id, ...shown })),
    },
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: model,
      options: modelNames(start, model).map(({ id, ...shown }) => ({ value: id, name: id, ...shown })),
    },
  ];
}
