import type { CallRow } from '../../../../src/client.ts'
import { Clock, Duration, Size, plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { FilterBox } from '../../parts/filter-box.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { makerOf } from '../../parts/call-maker.ts'
import { CallMark } from '../../parts/call-mark.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { go } from '../../state/addresses.ts'
import { isLive, servers } from '../../state/page-state.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { barOf, changeFilter } from './call-list.ts'
import type { CallFilter } from './call-list.ts'
import { useCalls } from './live-calls.ts'
import { TaskList } from './task-list.tsx'
import { callAddress, timelineAddress } from './timeline-address.ts'

/** The calls of page, terminals and chats; narrow beside a call that is open. */
export function CallTable({
  filter,
  current,
}: {
  readonly filter: CallFilter
  readonly current?: string | undefined
}) {
  usePageTitle(...(current === undefined ? ['Timeline'] : []))
  const { calls, hasMore, more, isLoading, error } = useCalls(filter)
  const longest = Math.max(0, ...calls.map(({ ms = 0 }) => ms))
  const isNarrow = current !== undefined
  const isFiltered = Object.keys(filter).length > 0
  const set = (name: keyof CallFilter, value: string) =>
    go(timelineAddress(changeFilter(filter, name, value)), { replace: true })
  return (
    <div class={isNarrow ? 'calls is-narrow' : 'place calls'}>
      <ListHead title="Timeline" hasDetail={isNarrow}>
        <FilterBox label="Filter" value={filter.words ?? ''} onChange={(words) => set('words', words)} />
        {!isNarrow && (
          <>
            <Choice
              label="Server"
              all="any server"
              value={filter.server}
              values={[
                ...new Set([...servers.value.map(({ name }) => name), ...calls.map(({ server }) => server)]),
              ]}
              onChoose={(value) => set('server', value)}
            />
            <Choice
              label="Outcome"
              all="any outcome"
              value={filter.state}
              values={states}
              onChoose={(value) => set('state', value)}
            />
            <Choice
              label="Made by"
              all="any origin"
              value={filter.by}
              values={origins}
              onChoose={(value) => set('by', value)}
            />
            <span class="calls-live dim">
              {isLive.value ? <StateMark state={{ tone: 'ok', word: 'following' }} /> : 'not live'}
            </span>
            <Button
              class="calls-export"
              about="Save the calls of this list as JSON"
              onPress={() => saveFile('calls.json', JSON.stringify(calls, null, 2), 'application/json')}
            >
              Export
            </Button>
          </>
        )}
      </ListHead>
      <ErrorLine error={error} />
      {!isNarrow && <TaskList />}
      {isLoading && <Loading what="Calls" />}
      {!isLoading && calls.length === 0 && (
        <Empty
          says={isFiltered ? 'No call fits this filter.' : 'No calls yet.'}
          command="plugboard call TOOL"
        >
          {isFiltered && <Button to="/timeline">Show all</Button>}
          {!isFiltered && <Button to="/tools">Run a tool</Button>}
        </Empty>
      )}
      {calls.length > 0 && (
        <List
          class="call-list"
          label={`${plural(calls.length, 'call')}, the newest first`}
          items={calls}
          keyOf={({ id }) => id}
          to={({ id }) => callAddress(id, filter)}
          current={current}
          rowHeight={isNarrow ? 46 : 28}
          order={JSON.stringify(filter)}
        >
          {(call) => (isNarrow ? <NarrowCall call={call} /> : <WideCall call={call} longest={longest} />)}
        </List>
      )}
      {hasMore && (
        <p class="calls-more">
          <Button onPress={() => void more()}>Earlier calls</Button>
        </p>
      )}
    </div>
  )
}

const states = ['running', 'waits', 'done', 'failed', 'refused', 'cancelled', 'unknown'] as const
const origins = ['page', 'terminal', 'chat', 'app', 'program'] as const

function WideCall({ call, longest }: { readonly call: CallRow; readonly longest: number }) {
  return (
    <span class="call-row">
      <span class="dim">
        <Clock at={call.at} />
      </span>
      <span class="call-by cut dim" title={call.app ?? call.conversationTitle}>
        {call.conversationTitle === undefined
          ? makerOf(call)
          : `${makerOf(call)} “${call.conversationTitle}”`}
      </span>
      <span class="call-server cut">{call.server}</span>
      <span class="call-tool cut mono">{call.tool}</span>
      <span class="call-state cut">
        <CallMark call={call} />
        {call.waitedMs !== undefined && call.state === 'done' && (
          <span class="dim">
            {' '}
            waited <Duration ms={call.waitedMs} />
          </span>
        )}
      </span>
      <span class="call-ms">
        <Duration ms={call.ms} />
      </span>
      <span class="call-size">
        <Size bytes={call.bytes || undefined} />
      </span>
      <span class="call-bar" aria-hidden="true">
        <i class={`bar tone-${call.tone}`} style={{ width: `${barOf(call.ms, longest)}%` }} />
      </span>
    </span>
  )
}

function NarrowCall({ call }: { readonly call: CallRow }) {
  return (
    <span class="call-narrow">
      <span class="cut mono">{call.tool}</span>
      <span class="dim">
        <Clock at={call.at} />
      </span>
      <span class="cut">
        <CallMark call={call} /> <span class="dim">{call.server}</span>
      </span>
      <span class="dim">
        <Duration ms={call.ms} />
      </span>
    </span>
  )
}
