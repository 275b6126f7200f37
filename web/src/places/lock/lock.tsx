import type { PlaceProps } from '../../app.tsx'
import type { HeldFacts, RemovedFacts } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CommandText } from '../../parts/copy-button.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { Split } from '../../parts/split.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { HeldView } from './held-view.tsx'
import '../../style/lock.css'
import '../../style/tools.css'

/** What servers changed since it was accepted: models do not get it before a person has looked at it. */
export function Lock({ id, query }: PlaceProps) {
  const { server } = query
  const answer = useAnswer('GET /api/lock', {}, { on: ['counts.changed', 'tools.changed'] })
  usePageTitle(...(id === undefined ? ['Lock'] : []))
  const { held: allHeld = [], removed = [] } = answer.value ?? {}
  const all = [...allHeld, ...removed]
  const isMeant = (each: { readonly server: string }) => server === undefined || each.server === server
  const held = allHeld.filter(isMeant)
  const shown = all.filter(isMeant)
  const current = all.find((each) => each.id === id)
  return (
    <Split
      kind="list"
      list={
        <>
          <ListHead title="Lock" hasDetail={id !== undefined}>
            {server !== undefined && <Button to={addresses.lock}>All servers</Button>}
          </ListHead>
          <ErrorLine error={answer.error} />
          {!answer.value && !answer.error && <Loading what="Definitions" />}
          {answer.value && held.length === 0 && (
            <Empty
              says={
                answer.value.acceptance.sentence ??
                'Nothing is held: models get every definition as it was accepted.'
              }
              command="plugboard review"
            />
          )}
          {shown.length > 0 && (
            <List
              label="Definitions"
              class="lock-list"
              items={shown}
              keyOf={(each) => each.id}
              to={(each) => addresses.held(each.id, server)}
              current={id}
              rowHeight={46}
            >
              {(each) => <HeldRow held={each} />}
            </List>
          )}
          {answer.value?.locks.map(({ file, shown, servers, command }) => (
            <section key={file} class="lock-file">
              <h2 class="mono">{shown}</h2>
              <ul>
                {servers.map(({ name, isAsLocked, sentence }) => (
                  <li key={name}>
                    <StateMark state={{ tone: isAsLocked ? 'ok' : 'ask', word: name }} />
                    <span class="sentence">{sentence}</span>
                  </li>
                ))}
              </ul>
              <CommandText command={command} />
            </section>
          ))}
          {answer.value && answer.value.notes.length > 0 && (
            <details class="tools-unknown">
              <summary class="dim">{answer.value.notes.length} not known</summary>
              <ul>
                {answer.value.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </details>
          )}
        </>
      }
      detail={
        id === undefined ? undefined : current ? (
          <HeldView key={current.id} held={current} onDone={answer.reload} />
        ) : answer.value ? (
          <Empty title="Not held" says="It was decided, or its definition is another one now.">
            <Button to={addresses.lock}>All that is held</Button>
          </Empty>
        ) : null
      }
      placeholder={
        held.length > 0 && <p class="lock-hint dim">Each is kept away from models until you accept it.</p>
      }
      back={server === undefined ? addresses.lock : `${addresses.lock}?server=${encodeURIComponent(server)}`}
      backLabel="Lock"
      detailLabel="Definition"
    />
  )
}

function HeldRow({ held }: { readonly held: HeldFacts | RemovedFacts }) {
  const { reason, isWaiting, findings } =
    'reason' in held ? held : { reason: 'removed', isWaiting: false, findings: [] }
  return (
    <span class="lock-row">
      <span class="cut mono">{held.title}</span>
      <span class="cut">
        <StateMark state={{ tone: isWaiting ? 'ask' : 'dim', word: reason }} />{' '}
        <span class="dim">{findings[0]?.severity}</span>
      </span>
    </span>
  )
}
