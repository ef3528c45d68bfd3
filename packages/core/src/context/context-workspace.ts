/**
 * WorkspaceContext: composes the model's context beside the conversation: the system
 * instruction, the first message, and the context files of a sub-directory when a tool
 * first touches it. It can be reloaded while a session runs.
 */

import type { GeminiChat } from '../chat/gemini-chat.ts';
import type { Content } from '../protocol/content.ts';
import { isProjectTrusted } from '../protocol/source.ts';
import type { Source } from '../protocol/source.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { joinSentences } from '../util/join-sentences.ts';
import { loadContextFiles } from './context-files.ts';
import type { ContextFile, ContextFileOptions, LoadedContext } from './context-files.ts';
import { describeTree } from './directory-tree.ts';
import { createEnvironmentContext } from './environment-context.ts';
import { JustInTimeContext } from './just-in-time-context.ts';
import { createSystemPrompt } from './system-prompt.ts';
import type { PromptProfile } from './system-prompt.ts';
import { readSystemPrompt, SystemPromptError, writeSystemPrompt } from './system-prompt-file.ts';

export interface SystemPromptFields {
  /** Replaces the built-in system prompt; see resolveSystemPromptFile. */
  file?: string | undefined;
  /** The built-in system prompt is written there. */
  writeTo?: string | undefined;
}

export interface WorkspaceContextOptions {
  files?: ContextFileOptions;
  systemPrompt?: SystemPromptFields;
  /** Further instructions of an embedding program, already framed. */
  memory?: string;
  workspace: Workspace;
  home: string;
  sources: readonly Source[];
  hints?: UserHints | undefined;
  interactive: boolean;
  isGitRepository: boolean;
  /** How the first model is addressed. */
  profile?: PromptProfile | undefined;
  /** Whether the model receives the folder's tree. */
  tellsTree?: boolean;
  /** The list of skills for the model; empty without any. */
  describeSkills?: () => string;
  /** The bounds of commands, in one sentence. */
  describeBounds?: (() => string) | undefined;
  now: () => Date;
  onWarning?: (message: string) => void;
}

const FIRST_MESSAGE = '<session_context>';

export class WorkspaceContext {
  /** The context the model has received; files found later are added. */
  loaded: LoadedContext;
  /** Absent for an untrusted project. */
  readonly resultContext: ((paths: readonly string[]) => Promise<string | undefined>) | undefined;
  private readonly options: WorkspaceContextOptions;
  private prompt: string;
  /** The project's instructions, where the first message does not hold them. */
  private project = '';
  /** What MCP servers say of themselves. */
  private servers = '';
  /** Files that were sent with a tool result. */
  private readonly told = new Set<string>();
  private nearby: JustInTimeContext;

  private readonly tree: string;

  private constructor(options: WorkspaceContextOptions, loaded: LoadedContext, tree: string) {
    this.options = options;
    this.loaded = loaded;
    this.tree = tree;
    this.prompt = choosePrompt(options);
    this.nearby = this.openNearby();
    this.resultContext = isProjectTrusted(options.sources) ? (paths) => this.tell(paths) : undefined;
  }

  /** Throws SystemPromptError. */
  static async load(options: WorkspaceContextOptions): Promise<WorkspaceContext> {
    const tree = options.tellsTree === true ? describeTree(options.workspace) : '';
    return new WorkspaceContext(options, await load(options), tree);
  }

  get systemInstruction(): string {
    const skills = this.options.describeSkills?.();
    return [this.prompt, this.loaded.global, this.options.memory, skills, this.servers].filter(Boolean).join('\n\n');
  }

  get firstMessage(): Content {
    const { workspace, now, describeBounds } = this.options;
    return createEnvironmentContext({
      now: now(),
      platform: process.platform,
      directories: workspace.directories,
      tempDirectory: workspace.tempDirectory,
      ...(describeBounds && { bounds: describeBounds() }),
      ...(this.tree !== '' && { tree: this.tree }),
      ...(this.loaded.project !== '' && { memory: this.loaded.project }),
    });
  }

  /** Reloads the files and updates the model's context, in the first message if that is still the generated one. */
  async reload(chat: GeminiChat): Promise<LoadedContext> {
    this.loaded = await load(this.options);
    this.nearby = this.openNearby();
    const told = chat.getContent(0)?.parts?.[0]?.text;
    const isOurs = told?.startsWith(FIRST_MESSAGE) ?? false;
    const first = this.firstMessage;
    const isNews = told !== first.parts?.[0]?.text;
    // Replacing the history writes all of it to the session file again.
    if (isOurs && isNews) chat.setHistory([first, ...chat.getHistory().slice(1)]);
    this.project = isOurs ? '' : this.loaded.project;
    this.instruct(chat);
    return this.loaded;
  }

  /** Addresses the model as its profile asks. A system prompt of the user's own stays as it is. */
  fit(profile: PromptProfile | undefined, chat: GeminiChat): void {
    const { interactive, isGitRepository, systemPrompt } = this.options;
    if (systemPrompt?.file !== undefined) return;
    this.prompt = createSystemPrompt({ interactive, isGitRepository, profile });
    this.instruct(chat);
  }

  /** What the system instruction is made of changed. */
  refresh(chat: GeminiChat): void {
    this.instruct(chat);
  }

  /** Has the model know of MCP servers what they say now. */
  describeServers(text: string, chat: GeminiChat): void {
    if (text === this.servers) return;
    this.servers = text;
    this.instruct(chat);
  }

  private instruct(chat: GeminiChat): void {
    chat.setSystemInstruction([this.systemInstruction, this.project].filter(Boolean).join('\n\n'));
  }

  /** The tool results left the history: send their context files again when a tool touches the directory. */
  forgetNearby(): void {
    this.nearby = this.openNearby();
  }

  private async tell(paths: readonly string[]): Promise<string | undefined> {
    const told: string[] = [];
    for (const path of paths) {
      const text = await this.nearby.forPath(path);
      if (text !== undefined) told.push(text);
    }
    return told.length > 0 ? told.join('\n\n') : undefined;
  }

  private openNearby(): JustInTimeContext {
    const { workspace, files = {}, onWarning } = this.options;
    return new JustInTimeContext({
      ...files,
      directories: workspace.directories,
      loaded: this.loaded.files.filter(({ path }) => !this.told.has(path)),
      isIgnored: ignoredFile(workspace),
      isIgnoredDirectory: (directory) => workspace.ignore.isIgnored(directory, 'directory'),
      onLoaded: (more: readonly ContextFile[]) => {
        const known = new Set(this.loaded.files.map(({ path }) => path));
        for (const { path } of more) this.told.add(path);
        this.loaded = { ...this.loaded, files: [...this.loaded.files, ...more.filter(({ path }) => !known.has(path))] };
      },
      onWarning,
    });
  }
}

async function load(options: WorkspaceContextOptions): Promise<LoadedContext> {
  const { files, workspace, home, sources, hints, onWarning } = options;
  const loaded = await loadContextFiles({
    ...files,
    home,
    sources,
    hints,
    directories: workspace.directories,
    isIgnored: ignoredFile(workspace),
  });
  for (const warning of loaded.warnings) onWarning?.(warning);
  return loaded;
}

/** Only .geminiignore counts: many users keep their own GEMINI.md out of git. */
function ignoredFile(workspace: Workspace): (file: string) => boolean {
  return (file) => workspace.ignore.isIgnored(file, 'file', { git: false, gemini: true });
}

function choosePrompt(options: WorkspaceContextOptions): string {
  const { systemPrompt = {}, interactive, isGitRepository, profile, workspace, sources, hints } = options;
  const { file, writeTo } = systemPrompt;
  const own = createSystemPrompt({ interactive, isGitRepository, profile });
  if (writeTo !== undefined) writeSystemPrompt(writeTo, own);
  if (file === undefined) return own;
  if (!isProjectTrusted(sources) && workspace.isInside(file)) {
    throw new SystemPromptError(
      joinSentences(
        `The system prompt ${file} was ignored, because this folder is not trusted.`,
        hints?.trustPromptFile,
      ),
    );
  }
  return readSystemPrompt(file);
}
