import { signal } from '@preact/signals'
import { Eye, Pencil, SlidersHorizontal } from 'lucide-preact'
import { useMemo } from 'preact/hooks'
import type { RouteAnswer, ToolRow } from '../../../../src/client.ts'
import { Tokens, plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import type { GroupedRow } from '../../parts/by-server.ts'
import { FilterBox } from '../../parts/filter-box.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { ServerHeading } from '../../parts/server-heading.tsx'
import { addresses } from '../../state/addresses.ts'
import type { Answer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { listTools, meantWord } from './find-tools.ts'
import type { ToolFilter } from './find-tools.ts'

const noFilter: ToolFilter = { words: '', server: '', kind: 'all', order: 'name' }
/** Kept while the page is open, so that the list is the same after a look at another place. */
const filter = signal(noFilter)
const isFilterOpen = signal(false)

export function ToolList({
  answer,
  current,
}: {
  readonly answer: Answer<RouteAnswer<'GET /api/tools'>>
  readonly current: string | undefined
}) {
  usePageTitle(...(current === undefined ? ['Tools'] : []))
  const tools = answer.value?.tools ?? []
  const rows = useMemo(() => listTools(tools, filter.value), [tools, filter.value])
  const isNarrowed =
    filter.value.server !== '' || filter.value.kind !== 'all' || filter.value.order !== 'name'
  return (
    <>
      <ListHead title="Tools" hasDetail={current !== undefined}>
        <FilterBox
          label={`Search ${plural(tools.length, 'tool')}`}
          value={filter.value.words}
          onChange={(words) => (filter.value = { ...filter.value, words })}
        >
          <button
            type="button"
            class="icon-button"
            aria-label="Filters"
            title="Filters"
            aria-expanded={isFilterOpen.value}
            aria-pressed={isNarrowed}
            onClick={() => (isFilterOpen.value = !isFilterOpen.value)}
          >
            <SlidersHorizontal size={14} aria-hidden="true" />
          </button>
        </FilterBox>
      </ListHead>
      {isFilterOpen.value && <Filters tools={tools} />}
      <ErrorLine error={answer.error} />
      {answer.value === undefined && answer.isLoading && <Loading what="Tools" />}
      {answer.value && rows.length === 0 && <NoTools answer={answer.value} />}
      {rows.length > 0 && (
        <List
          class="tool-list"
          label="Tools"
          items={rows}
          keyOf={keyOf}
          to={(row) => (row.kind === 'item' ? addresses.tool(row.item.ref) : '')}
          isHeading={(row) => row.kind === 'server'}
          current={current}
          rowHeight={28}
          order={JSON.stringify(filter.value)}
        >
          {(row) =>
            row.kind === 'server' ? (
              <ServerHeading server={row.server} count={row.count} />
            ) : (
              <ToolName
                tool={row.item}
                isNamed={filter.value.words !== '' || filter.value.order === 'cost'}
              />
            )
          }
        </List>
      )}
      {answer.value && rows.length > 0 && filter.value.words === '' && <Unknown answer={answer.value} />}
    </>
  )
}

function keyOf(row: GroupedRow<ToolRow>): string {
  return row.kind === 'server' ? `#${row.server}` : row.item.ref
}

function ToolName({ tool, isNamed }: { readonly tool: ToolRow; readonly isNamed: boolean }) {
  const does = tool.isReadOnly ? 'only reads' : tool.marks.join(', ') || 'may write'
  const Icon = tool.isReadOnly ? Eye : Pencil
  return (
    <>
      <span class="tool-icon" role="img" aria-label={does} title={does}>
        <Icon size={14} aria-hidden="true" />
      </span>
      <span class="cut mono tool-name" title={tool.summary}>
        {tool.tool}
        {isNamed && <span class="dim"> {tool.server}</span>}
      </span>
      <span class="grow" />
      <span class="dim" title={`${tool.tokens} tokens in every request`}>
        <Tokens count={tool.tokens} />
      </span>
    </>
  )
}

function Filters({ tools }: { readonly tools: readonly ToolRow[] }) {
  const servers = [...new Set(tools.map(({ server }) => server))]
  const set = (change: Partial<ToolFilter>) => (filter.value = { ...filter.value, ...change })
  return (
    <div class="filter tool-filters">
      <select
        aria-label="Server"
        value={filter.value.server}
        onChange={(event) => set({ server: event.currentTarget.value })}
      >
        <option value="">all servers</option>
        {servers.map((server) => (
          <option key={server} value={server}>
            {server}
          </option>
        ))}
      </select>
      <select
        aria-label="What they do"
        value={filter.value.kind}
        onChange={(event) => set({ kind: kinds.find((kind) => kind === event.currentTarget.value) ?? 'all' })}
      >
        <option value="all">all kinds</option>
        <option value="reads">only read</option>
        <option value="writes">may write</option>
      </select>
      <select
        aria-label="Order"
        value={filter.value.order}
        onChange={(event) => set({ order: event.currentTarget.value === 'cost' ? 'cost' : 'name' })}
      >
        <option value="name">by server</option>
        <option value="cost">by cost</option>
      </select>
    </div>
  )
}

const kinds = ['all', 'reads', 'writes'] as const

function NoTools({ answer }: { readonly answer: RouteAnswer<'GET /api/tools'> }) {
  const { words } = filter.value
  const meant = words === '' ? undefined : meantWord(answer.tools, words)
  if (answer.tools.length === 0) {
    return (
      <>
        <Empty says="No server offers a tool yet." command="plugboard tools">
          <Button to={addresses.servers}>Servers</Button>
        </Empty>
        <Unknown answer={answer} />
      </>
    )
  }
  return (
    <Empty says={words === '' ? 'No tool fits these filters.' : `No tool matches “${words}”.`}>
      {meant !== undefined && (
        <Button kind="primary" onPress={() => (filter.value = { ...filter.value, words: meant })}>
          Did you mean {meant}?
        </Button>
      )}
      <Button onPress={() => (filter.value = noFilter)}>Clear</Button>
    </Empty>
  )
}

/** Servers whose tools are not known, with the reason, and tools that a rule hides: nothing vanishes without a word. */
function Unknown({ answer }: { readonly answer: RouteAnswer<'GET /api/tools'> }) {
  if (answer.waiting.length + answer.hidden.length + answer.held.length === 0) return null
  return (
    <details class="tools-unknown">
      <summary class="dim">
        {[
          answer.waiting.length > 0 && `${plural(answer.waiting.length, 'server')} not listed`,
          answer.held.length > 0 && `${answer.held.length} held`,
          answer.hidden.length > 0 && `${plural(answer.hidden.length, 'tool')} hidden`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </summary>
      <ul>
        {answer.held.map(({ id, ref, reason }) => (
          <li key={id}>
            <a class="mono" href={addresses.held(id)}>
              {ref}
            </a>{' '}
            <span class="dim">{reason}</span>
          </li>
        ))}
        {answer.waiting.map(({ server, reason }) => (
          <li key={server}>
            <a href={addresses.server(server)}>{server}</a> <span class="dim">{reason}</span>
          </li>
        ))}
        {answer.hidden.map(({ ref, reason }) => (
          <li key={ref}>
            <span class="mono">{ref}</span> <span class="dim">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
