import type { ToolDefinition } from '../../model/tool.ts'
import { field } from '../render/blocks.ts'
import { stringField, toTextResult, toOwnTool } from '../view/own-tools.ts'
import type { OwnTool } from '../view/own-tools.ts'
import type { OfferedResource } from '../view/view.ts'
import { toResourceOutput } from './resource-parts.ts'
import type { Offers } from './resources-and-prompts.ts'

/** Tools that give access to resources, for agents that support only tools (D21). */
export const resourceTools: readonly ToolDefinition[] = [
  {
    name: 'list_resources',
    description: 'Lists the resources that servers offer to be read: files, records, pages.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string', description: 'Only those of this server.' },
        query: {
          type: 'string',
          description: 'Only those whose address, name or description has this text.',
        },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'read_resource',
    description: 'Reads one resource by its address, as list_resources gives it.',
    inputSchema: {
      type: 'object',
      properties: {
        uri: { type: 'string', description: 'The address; of a template, with its names filled in.' },
        server: {
          type: 'string',
          description: 'Whose it is. Needed when several servers, or none, list it or a template for it.',
        },
      },
      required: ['uri'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
]

/** Binds the resource tools to a view. */
export function createResourceTools(
  { resources, readFrom }: Pick<Offers, 'resources' | 'readFrom'>,
  native: ReadonlySet<string>,
): readonly OwnTool[] {
  const runs: Readonly<Record<string, OwnTool['run']>> = {
    async list_resources(args) {
      const [server, query] = [stringField(args, 'server'), stringField(args, 'query')]
      const wanted = { ...(server !== undefined && { server }), ...(query !== undefined && { query }) }
      return toTextResult(listResources(resources(), wanted))
    },
    async read_resource(args, options) {
      const server = stringField(args, 'server')
      const { parts } = await readFrom(stringField(args, 'uri') ?? '', {
        ...options,
        ...(server !== undefined && { server }),
      })
      return { content: toResourceOutput(parts).blocks }
    },
  }
  return resourceTools.flatMap((definition) => {
    const run = runs[definition.name]
    return run ? [{ tool: toOwnTool(definition, native), isAlwaysAllowed: false, run }] : []
  })
}

const maxListed = 200

/** The text of `list_resources`: one line per resource. */
export function listResources(
  offered: readonly OfferedResource[],
  { server, query = '' }: { readonly server?: string; readonly query?: string } = {},
): string {
  const wanted = query.toLowerCase()
  const lines = offered
    .filter((each) => server === undefined || each.server === server)
    .map(toLine)
    .filter((line) => line.toLowerCase().includes(wanted))
  if (lines.length === 0) return '(no resources)'
  const more = lines.length - maxListed
  const shown = lines.slice(0, maxListed)
  return (more > 0 ? [...shown, `[${more} more: narrow it with "query" or "server"]`] : shown).join('\n')
}

function toLine({ server, resource }: OfferedResource): string {
  const { uri, uriTemplate, name, title, mimeType, size, description } = resource
  const address = field(uri) || `template ${field(uriTemplate)}`
  const facts = [field(mimeType), typeof size === 'number' ? `${size} bytes` : ''].filter(Boolean).join(', ')
  const text = [field(title) || field(name), field(description)].filter(Boolean).join(': ')
  return [`${server}: ${address}`, facts && `(${facts})`, text && `– ${text}`].filter(Boolean).join(' ')
}
