/**
 * A project, a scripted model and an editor with one session in it. A file may share programs between its scenes: scenes
 * that start `castor --acp` with the same flags, settings and capabilities, one after the other, are sessions of one process.
 */

import { createWorkspace, fakeModel } from '@castor/testkit';
import type { FakeModel, Script, Workspace, WorkspaceOptions } from '@castor/testkit';
import { afterAll } from 'vitest';
import { Editor } from './editor.fixture.ts';
import type { AnswerOptions, EditorOptions, RawAnswer } from './editor.fixture.ts';
import { openModelRelay } from './model-relay.fixture.ts';
import type { ModelRelay } from './model-relay.fixture.ts';

/** What a program is started with. */
interface StartOptions
  extends Pick<WorkspaceOptions, 'homeFiles'>, Pick<EditorOptions, 'args' | 'env' | 'capabilities'> {
  readonly settings?: object;
  readonly isTrusted?: boolean;
}

export interface SceneOptions extends StartOptions, Omit<AnswerOptions, 'buffers'>, Pick<WorkspaceOptions, 'files'> {
  /** Unsaved text by name below the project; an error is the answer to a read. */
  readonly unsaved?: Readonly<Record<string, string | Error | RawAnswer>>;
}

export interface Scene extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly model: FakeModel;
  readonly editor: Editor;
  readonly session: string;
  readonly buffers: Map<string, string | Error | RawAnswer>;
}

type OpenScene = (script: Script, options?: SceneOptions) => Promise<Scene>;

/** A scene with a program and a home of its own. */
export const openScene: OpenScene = async (script, options = {}) => {
  const stack = new AsyncDisposableStack();
  try {
    const program = stack.use(await SceneProgram.open(options));
    const scene = stack.use(await program.play(script, options, program.place));
    const owned = stack.move();
    return { ...scene, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
};

/** More programs are not kept: scenes that start alike are mostly neighbours. */
const KEPT = 3;

/**
 * Opens scenes whose programs the scenes of a file share; to be called once, outside of tests. A scene's project, model and
 * session are its own; the home is not, so a scene about sessions on disk or the end of the program is no scene for it.
 */
export function sharePrograms(): OpenScene {
  const idle = new Map<string, SceneProgram>();
  afterAll(async () => {
    for (const program of idle.values()) await program[Symbol.asyncDispose]();
    idle.clear();
  });

  async function keep(key: string, program: SceneProgram): Promise<void> {
    const isKept = program.isAlive && !idle.has(key);
    if (isKept) idle.set(key, program);
    else await program[Symbol.asyncDispose]();
    for (const [oldest, each] of idle) {
      if (idle.size <= KEPT) break;
      idle.delete(oldest);
      await each[Symbol.asyncDispose]();
    }
  }

  return async (script, options = {}) => {
    const { args, env, capabilities, settings, homeFiles, isTrusted } = options;
    const key = JSON.stringify({ args, env, capabilities, settings, homeFiles, isTrusted });
    const program = idle.get(key) ?? (await SceneProgram.open({ ...options, files: {} }));
    idle.delete(key);
    try {
      const scene = await program.play(script, options);
      const dispose = async () => {
        await scene.editor.closeSessions();
        await scene[Symbol.asyncDispose]();
        await keep(key, program);
      };
      return { ...scene, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await program[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** `castor --acp` with a home of its own, for one scene at a time. */
class SceneProgram implements AsyncDisposable {
  readonly place: Workspace;
  private readonly owned: AsyncDisposableStack;
  private readonly relay: ModelRelay;
  private readonly editor: Editor;

  private constructor(owned: AsyncDisposableStack, place: Workspace, relay: ModelRelay, editor: Editor) {
    this.owned = owned;
    this.place = place;
    this.relay = relay;
    this.editor = editor;
  }

  static async open(options: SceneOptions): Promise<SceneProgram> {
    const { settings, homeFiles = {}, isTrusted = true, env = {}, args = [], capabilities = {} } = options;
    const stack = new AsyncDisposableStack();
    try {
      const settingsFile = settings && { '.gemini/settings.json': JSON.stringify(settings) };
      const place = stack.use(
        await createWorkspace({ files: options.files ?? {}, homeFiles: { ...settingsFile, ...homeFiles } }),
      );
      const relay = stack.use(await openModelRelay());
      const trust = isTrusted ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {};
      const start = { workspace: place, model: relay, env: { ...trust, ...env }, args, capabilities };
      const editor = stack.use(await Editor.open(start));
      return new SceneProgram(stack.move(), place, relay, editor);
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.editor.isAlive;
  }

  /** A session in a project of its own, by default a new one. */
  async play(script: Script, options: SceneOptions, place?: Workspace): Promise<Scene> {
    const { files = {}, unsaved = {}, ...answers } = options;
    const stack = new AsyncDisposableStack();
    try {
      const { editor } = this;
      const { home } = this.place;
      const workspace = place ?? { ...stack.use(await createWorkspace({ files })), home };
      const model = stack.use(await fakeModel(script));
      this.relay.turnTo(model);
      const buffers = new Map(Object.entries(unsaved).map(([name, text]) => [`${workspace.project}/${name}`, text]));
      editor.turnTo({ ...answers, workspace, buffers });
      const session = await editor.newSession();
      const owned = stack.move();
      return { workspace, model, editor, session, buffers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.owned.disposeAsync();
  }
}

/** The texts of the last content of a request. */
export function lastParts(model: FakeModel, index = -1): Record<string, unknown>[] {
  const contents = model.requests.at(index)!.body.contents as { parts: Record<string, unknown>[] }[];
  return contents.at(-1)!.parts;
}
