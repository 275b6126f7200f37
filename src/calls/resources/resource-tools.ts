import type { JsonObject } from '../../model/json.ts'
import type { ToolDefinition } from '../../model/tool.ts'
import { field } from '../render/blocks.ts'
import { matchesTemplate } from './uri-template.ts'

/** A resource or a template of resources, and whose it is. */
export interface OfferedResource {
  readonly server: string
  /** As the server lists it: `uri`, or `uriTemplate`. */
  readonly resource: JsonObject
}

/** Resources for an agent that only knows tools (D21). */
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

const maxListed = 200

/** What `list_resources` answers: one line each. */
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
  const told = [field(title) || field(name), field(description)].filter(Boolean).join(': ')
  return [`${server}: ${address}`, facts && `(${facts})`, told && `– ${told}`].filter(Boolean).join(' ')
}

/** The servers that list this very address; where none does, those with a template for it. */
export function ownersOf(uri: string, offered: readonly OfferedResource[]): readonly string[] {
  const listing = offered.filter(({ resource }) => resource['uri'] === uri)
  const owners = listing.length > 0 ? listing : withTemplates(uri, offered)
  return [...new Set(owners.map(({ server }) => server))]
}

/** How much of an address is compared with the templates of one server: it may list any number of them. */
const mostCompared = 500_000

function withTemplates(uri: string, offered: readonly OfferedResource[]): readonly OfferedResource[] {
  const compared = new Map<string, number>()
  return offered.filter(({ server, resource: { uriTemplate } }) => {
    if (typeof uriTemplate !== 'string' || !beginsAlike(uriTemplate, uri)) return false
    const all = (compared.get(server) ?? 0) + uri.length
    compared.set(server, all)
    return all <= mostCompared && matchesTemplate(uriTemplate, uri)
  })
}

function beginsAlike(template: string, uri: string): boolean {
  return uri.startsWith(template.slice(0, Math.max(template.indexOf('{'), 0)))
}
