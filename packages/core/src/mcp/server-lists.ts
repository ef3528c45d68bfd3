/** ServerLists: reads the lists of one MCP server and follows their changes. Only tools are needed to be ready. */

import type { McpConnection } from './connection.ts';
import type { ListedItems } from './list-pages.ts';
import type { ListedTool } from './listed-items.ts';
import { Relist } from './relist.ts';
import type { RequestOptions } from './rpc-session.ts';
import type { ServerOffer } from './server-state.ts';

export interface ServerListsOptions {
  /** The connection in use. What a former one lists is dropped. */
  connection(): McpConnection | undefined;
  request(): RequestOptions;
  takeTools(tools: ListedItems<ListedTool>): void;
  takeOffer(offer: Partial<ServerOffer>): void;
  /** A sentence on a list that was not read to its end. */
  note(sentence: string): void;
}

const NO_ITEMS = { items: [] };

type ListKind = 'tools' | 'prompts' | 'resources';

const CHANGES: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};

export class ServerLists {
  private readonly options: ServerListsOptions;
  private readonly lists: Readonly<Record<ListKind, Relist>>;
  /** Lists that changed before the server was ready. */
  private readonly missed = new Set<ListKind>();

  constructor(options: ServerListsOptions) {
    this.options = options;
    this.lists = {
      tools: new Relist(() => this.listTools()),
      prompts: new Relist(() => this.listPrompts()),
      resources: new Relist(() => this.listResources()),
    };
  }

  /** Reads a list again when the server says that it changed. */
  notified(method: string): void {
    const kind = Object.hasOwn(CHANGES, method) ? CHANGES[method] : undefined;
    if (kind === undefined) return;
    if (this.options.connection()) this.lists[kind].request();
    else this.missed.add(kind);
  }

  /** Whether the list has changed before the server was ready; then it is read now. */
  takeMissed(kind: ListKind): boolean {
    return this.missed.delete(kind);
  }

  /** The server is ready now. */
  catchUp(): void {
    for (const kind of this.missed) this.lists[kind].request();
    this.missed.clear();
  }

  /** Prompts and resources. A list that cannot be read stays as it was. */
  async listOffer(): Promise<void> {
    await Promise.allSettled([this.listPrompts(), this.listResources()]);
  }

  private async listTools(): Promise<void> {
    await this.list((connection, request) => connection.listTools(request), this.options.takeTools);
  }

  private async listPrompts(): Promise<void> {
    await this.list(
      (connection, request) => connection.listPrompts(request),
      (prompts) => this.options.takeOffer({ prompts: this.itemsOf(prompts) }),
    );
  }

  private async listResources(): Promise<void> {
    await this.list(
      (connection, request) =>
        // A server may have resources without knowing templates.
        Promise.all([connection.listResources(request), connection.listTemplates(request).catch(() => NO_ITEMS)]),
      ([resources, templates]) =>
        this.options.takeOffer({ resources: this.itemsOf(resources), templates: this.itemsOf(templates) }),
    );
  }

  private itemsOf<T>({ items, cut }: ListedItems<T>): T[] {
    if (cut !== undefined) this.options.note(cut);
    return items;
  }

  private async list<T>(
    read: (connection: McpConnection, request: RequestOptions) => Promise<T>,
    take: (found: T) => void,
  ): Promise<void> {
    const connection = this.options.connection();
    if (!connection) return;
    const found = await read(connection, this.options.request());
    if (this.options.connection() === connection) take(found);
  }
}
