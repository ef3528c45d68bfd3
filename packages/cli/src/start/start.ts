/**
 * Decides once, for every surface, from flags, settings, files and the environment: the model, its permissions and its
 * budget. It opens nothing.
 */

import { delimiter, resolve } from 'node:path';
import { computeSources } from '@castor/core';
import { isProjectTrusted, loadConfiguration, SettingsError } from '@castor/core/program';
import type { BudgetLimits, Source } from '@castor/core';
import type { Configuration, Settings } from '@castor/core/program';
import { enterAirgap, isAirgapped } from './airgap.ts';
import { chooseApproval } from './approval.ts';
import type { Approval } from './approval.ts';
import { UsageError } from '../args/args.ts';
import { BUILTIN_DIRECTORY } from '../builtin-directory.ts';
import type { CliArguments } from '../args/args.ts';
import { chooseBudget } from './budget-flags.ts';
import { chooseModel } from './credentials.ts';
import type { ModelChoice } from './credentials.ts';
import { ExitCode, ExitError } from '../exit-codes.ts';
import { findDirectories } from './include-directories.ts';
import type { ChosenExtensions, StartExtensions } from './installed-extensions.ts';
import { describeUnknownSettings } from './unknown-settings.ts';
import { describeUnused } from './unused-settings.ts';
import { decideTrust, refusalWithoutScreen } from './trust.ts';
import type { TrustDecision } from './trust.ts';

const YOLO_NOTICE = 'YOLO mode is enabled. All tool calls will be automatically approved.';

export interface StartContext {
  args: CliArguments;
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The list of an earlier start of the same run; it is kept unless the trust in the folder changed. */
  sources?: readonly Source[] | undefined;
  /** The login the user chose for this process, by Gemini CLI's name; it precedes that of the settings. */
  authType?: string | undefined;
  /** Whether the editor around the terminal trusts the folder; undefined where it does not say. */
  editorTrust?: boolean | undefined;
  /** Those of `findInstalledExtensions`; undefined where none is installed. */
  installed: StartExtensions | undefined;
}

export interface Start extends StartContext {
  configuration: Configuration;
  settings: Settings;
  choice: ModelChoice;
  approval: Approval;
  budget: BudgetLimits | undefined;
  trustedFolder: boolean | undefined;
  /** The sources of commands, context files, hooks, policies and themes. */
  sources: readonly Source[];
  /** Undefined where none is installed. */
  extensions: ChosenExtensions | undefined;
  /** For stderr, or wherever the surface shows warnings. */
  warnings: string[];
  /** Printed verbatim, without a prefix: scripts look for them. */
  notices: string[];
}

export interface LoadedConfiguration {
  configuration: Configuration;
  trust: TrustDecision;
  sources: readonly Source[];
  /** Undefined where none is installed. */
  extensions: ChosenExtensions | undefined;
}

export interface StartOptions extends StartContext {
  /** Whether the surface can ask the user: an untrusted folder is then allowed, with more questions. */
  isAttended: boolean;
}

/** `environment` of the result includes what a .env file added. Throws an ExitError when the run cannot start. */
export function prepareStart({ isAttended, ...context }: StartOptions): Start {
  const { args, home } = context;
  const budget = chooseBudget(args);
  const { configuration, trust, sources, extensions } = loadTrustedConfiguration(context);
  const { environment } = configuration;
  const settings = withAuthType(configuration.settings, context.authType);
  if (isAirgapped({ args, settings })) enterAirgap();
  try {
    const refusal = isAttended ? undefined : refusalWithoutScreen(trust, { ...configuration, cwd: context.cwd });
    if (refusal !== undefined) throw new ExitError(ExitCode.Untrusted, refusal);
    refuseMissing(args, settings);
    const trustedFolder = trust.trusted;
    const approval = chooseApproval({ args, settings, layers: configuration.layers, extensions, home, trustedFolder });
    const wanted = [...approval.includeDirectories, ...foldersOfEditor(context)];
    const { directories, warnings } = findDirectories(wanted, context.cwd);
    const choice = chooseModel({ args, settings, environment });
    return {
      ...context,
      environment,
      configuration,
      settings,
      choice,
      approval: { ...approval, includeDirectories: directories },
      budget,
      trustedFolder,
      sources,
      extensions,
      warnings: [
        ...configuration.warnings,
        ...approval.warnings,
        ...warnings,
        ...choice.warnings,
        ...(extensions?.warnings ?? []),
        ...describeUnused(configuration, { home, cwd: context.cwd, isTrusted: trustedFolder === true }),
        ...describeUnknownSettings(configuration),
      ],
      notices: approval.mode === 'yolo' ? [YOLO_NOTICE] : [],
    };
  } catch (error) {
    throw isAttended ? error : inFormat(error, settings.output.format);
  }
}

/** The other folders of the editor's window, by its own variable: a project's .env file has no say in it. */
function foldersOfEditor({ environment, cwd }: StartContext): string[] {
  const folders = environment['GEMINI_CLI_IDE_WORKSPACE_PATH']?.split(delimiter) ?? [];
  return folders.filter((folder) => folder !== '' && resolve(folder) !== resolve(cwd));
}

function withAuthType(settings: Settings, selectedType: string | undefined): Settings {
  if (selectedType === undefined) return settings;
  const { security } = settings;
  return { ...settings, security: { ...security, auth: { ...security.auth, selectedType } } };
}

/** The error is printed in the format the settings name. */
export function inFormat(error: unknown, format: string): unknown {
  if (error instanceof ExitError) error.outputFormat = format;
  return error;
}

/** Throws an ExitError for invalid settings. */
export function loadTrustedConfiguration(context: StartContext): LoadedConfiguration {
  const { args, cwd, home, environment } = context;
  let trust: TrustDecision = { trusted: undefined };
  const { platform } = process;
  try {
    const configuration = loadConfiguration({
      home,
      cwd,
      environment,
      platform,
      ignoreLocalEnv: args.ignoreEnv ?? false,
      isTrusted({ security }) {
        const { skipTrust = false } = args;
        const { editorTrust } = context;
        const isAsked = security.folderTrust.enabled;
        trust = decideTrust({ folder: cwd, home, environment, skipTrust, isAsked, editorTrust });
        return trust.trusted === true;
      },
      isRefused: () => trust.trusted === false,
    });
    const { settings } = configuration;
    const extensions = context.installed?.choose({ args, settings, trustedFolder: trust.trusted });
    const sources = chooseSources(context, trust.trusted, extensions?.sources);
    return { configuration, trust, sources, extensions };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new ExitError(ExitCode.Settings, error.message, { cause: error });
  }
}

/** The one place of the program that computes the list; every loader receives it from here. */
function chooseSources(
  { home, cwd: root, sources }: StartContext,
  trustedFolder: boolean | undefined,
  ofExtensions: readonly Source[] = [],
) {
  if (sources && isProjectTrusted(sources) === (trustedFolder === true)) return sources;
  const own = computeSources({ home, root, trustedFolder, platform: process.platform, builtin: BUILTIN_DIRECTORY });
  return [...own, ...ofExtensions];
}

/** Rejects a request for an unsupported feature, because the user relies on it. Throws an ExitError. */
export function refuseMissing({ worktree }: CliArguments, settings: Settings) {
  if (settings.security.enableConseca) {
    throw new ExitError(
      ExitCode.Settings,
      'security.enableConseca is not supported yet. To run without it: castor config set security.enableConseca false',
    );
  }
  if (worktree === undefined) return;
  if (!settings.experimental.worktrees) {
    throw new UsageError('--worktree needs the setting experimental.worktrees to be true.');
  }
  throw new ExitError(ExitCode.Failure, '--worktree is not supported yet. Create one with: git worktree add <path>');
}
