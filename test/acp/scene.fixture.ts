/** A project, a scripted model and an editor with one session in it. */

import { createWorkspace, fakeModel } from '@castor/testkit';
import type { FakeModel, Script, Workspace, WorkspaceOptions } from '@castor/testkit';
import { Editor } from './editor.fixture.ts';
import type { EditorOptions, RawAnswer } from './editor.fixture.ts';

export interface SceneOptions extends WorkspaceOptions, Omit<EditorOptions, 'workspace' | 'model' | 'buffers'> {
  readonly settings?: object;
  /** Unsaved text by name below the project; an error is the answer to a read. */
  readonly unsaved?: Readonly<Record<string, string | Error | RawAnswer>>;
  readonly isTrusted?: boolean;
}

export interface Scene extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly model: FakeModel;
  readonly editor: Editor;
  readonly session: string;
  readonly buffers: Map<string, string | Error | RawAnswer>;
}

export async function openScene(script: Script, options: SceneOptions = {}): Promise<Scene> {
  const { settings, unsaved = {}, files = {}, homeFiles = {}, isTrusted = true, env = {}, ...rest } = options;
  const stack = new AsyncDisposableStack();
  try {
    const workspace = stack.use(
      await createWorkspace({
        files,
        homeFiles: { ...(settings && { '.gemini/settings.json': JSON.stringify(settings) }), ...homeFiles },
      }),
    );
    const model = stack.use(await fakeModel(script));
    const buffers = new Map(Object.entries(unsaved).map(([name, text]) => [`${workspace.project}/${name}`, text]));
    const trust = isTrusted ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {};
    const editor = stack.use(await Editor.open({ workspace, model, buffers, env: { ...trust, ...env }, ...rest }));
    const session = await editor.newSession();
    const owned = stack.move();
    return { workspace, model, editor, session, buffers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The texts of the last content of a request. */
export function lastParts(model: FakeModel, index = -1): Record<string, unknown>[] {
  const contents = model.requests.at(index)!.body.contents as { parts: Record<string, unknown>[] }[];
  return contents.at(-1)!.parts;
}
