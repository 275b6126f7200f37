import type { ServerRow } from '../../../../src/client.ts'
import { Duration, plural, Tokens } from '../../parts/amounts.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { needsPerson } from './server-groups.ts'
import { refusalOf } from './server-requests.ts'
import { StateSentence } from './state-sentence.tsx'
import { StepButton } from './step-button.tsx'

interface ServerTableRowProps {
  readonly server: ServerRow
  readonly isSelected: boolean
  readonly isTabStop: boolean
  readonly onFocus: () => void
}

/** States that began later are news: their cell fades in. */
const openedAt = Date.now()

export function ServerTableRow({ server, isSelected, isTabStop, onFocus }: ServerTableRowProps) {
  const { name, state, tools, startedMs, lastCall, declared } = server
  const tabIndex = isTabStop ? 0 : -1
  return (
    <tr
      role="row"
      class={isSelected ? 'is-selected' : ''}
      data-server={name}
      onFocusIn={onFocus}
      onClick={(event) => openRow(event, addresses.server(name))}
    >
      <td role="cell">
        <a
          class="server-name"
          href={addresses.server(name)}
          data-row
          tabIndex={tabIndex}
          aria-current={isSelected ? 'true' : undefined}
        >
          {name}
        </a>
        <Numbers server={server} />
      </td>
      <td role="cell" key={state.since} class={`server-state${state.since > openedAt ? ' is-changed' : ''}`}>
        <StateMark state={state} />
        {server.held !== undefined && (
          <>
            {' '}
            <StateMark state={{ tone: 'ask', word: `${server.held} held` }} />
          </>
        )}
        <StateSentence state={state} />
        <ErrorLine error={refusalOf(name)} />
      </td>
      <td role="cell" class="number column-tools">
        {tools?.count ?? '—'}
      </td>
      <td role="cell" class="number column-cost">
        <Tokens count={tools?.tokens} />
        {tools && ' tok'}
      </td>
      <td role="cell" class="number column-started">
        <Duration ms={startedMs} />
      </td>
      <td role="cell" class="column-last">
        {lastCall ? (
          <a
            href={addresses.call(lastCall.id)}
            tabIndex={tabIndex}
            title={`${lastCall.ref}, ${lastCall.outcome}`}
          >
            <Duration ms={lastCall.ms} /> <span class="mono">{toolOf(lastCall.ref, name)}</span>
          </a>
        ) : (
          '—'
        )}
      </td>
      <td role="cell" class="column-place">
        <a
          class="mono dim"
          href={addresses.configFile(declared.file, declared.line)}
          tabIndex={tabIndex}
          title={declared.file}
        >
          <bdi dir="ltr">{declared.shown}</bdi>
        </a>
      </td>
      <td role="cell" class="server-steps">
        <Steps server={server} tabIndex={tabIndex} />
      </td>
    </tr>
  )
}

/** A click beside the links and buttons of a row opens it too; one that ends a selection of text does not. */
function openRow(event: MouseEvent, address: string): void {
  const isOnControl = event.target instanceof Element && event.target.closest('a, button') !== null
  if (!isOnControl && getSelection()?.isCollapsed !== false) go(address)
}

/** The cure, and the log beside it where something failed. */
function Steps({ server, tabIndex }: { readonly server: ServerRow; readonly tabIndex: number }) {
  const [cure, ...others] = server.next
  const isWrong = needsPerson(server.state)
  const log = isWrong ? others.find(({ action }) => action === 'log') : undefined
  return (
    <>
      {cure && <StepButton server={server} step={cure} isPrimary={isWrong} tabIndex={tabIndex} />}
      {log && <StepButton server={server} step={log} tabIndex={tabIndex} />}
    </>
  )
}

/** The numbers in one line, where there is no room for columns. */
function Numbers({ server: { tools, startedMs } }: { readonly server: ServerRow }) {
  if (!tools && startedMs === undefined) return null
  return (
    <span class="server-numbers">
      {tools && (
        <>
          {plural(tools.count, 'tool')} · <Tokens count={tools.tokens} /> tok
        </>
      )}
      {tools && startedMs !== undefined && ' · '}
      {startedMs !== undefined && <Duration ms={startedMs} />}
    </span>
  )
}

/** A reference without the name of its server, which the row has already. */
function toolOf(ref: string, server: string): string {
  return ref.startsWith(`${server}/`) ? ref.slice(server.length + 1) : ref
}
