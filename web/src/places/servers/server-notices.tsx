import type { ComponentChildren } from 'preact'
import type { Problem, RouteAnswer, ServerRow } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CommandText } from '../../parts/copy-button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { ShapeMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { about, counts, questions, servers } from '../../state/page-state.ts'
import { useAnswer } from '../../state/answers.ts'
import { taskAddress } from './server-address.ts'

/** What needs a person, above the table: questions, files that do not parse, trust; and what to do without any server. */
export function ServerNotices() {
  const all = servers.value
  // Before the first snapshot nothing is known, which is not the same as no server.
  if (!about.value) return null
  return (
    <>
      <Asking />
      {(counts.value.problems > 0 || all.length === 0) && <ConfigNotices servers={all} />}
      <TrustNotice servers={all} />
    </>
  )
}

function Asking() {
  const [first, ...others] = questions.value
  if (!first) return null
  return (
    <Notice
      says={
        <>
          {first.title}
          {first.conversationTitle !== undefined && <> in “{first.conversationTitle}”</>}
          {others.length > 0 && <span class="dim"> and {others.length} more</span>}
        </>
      }
    >
      <Button
        to={others.length > 0 ? addresses.waiting : addresses.question(first.id)}
        kind="primary"
        command={first.command}
      >
        Look
      </Button>
    </Notice>
  )
}

function TrustNotice({ servers: all }: { readonly servers: readonly ServerRow[] }) {
  const waiting = all.filter(
    ({ trust, isEnabled }) => isEnabled && (trust === 'pending' || trust === 'changed'),
  )
  const [first] = waiting
  // One alone says it in its row.
  if (!first || waiting.length < 2) return null
  return (
    <Notice says={`${waiting.length} servers of this project wait for your trust.`}>
      <Button to={taskAddress(first.name, 'trust')} command={`plugboard trust ${first.name}`}>
        Review
      </Button>
    </Notice>
  )
}

const shownErrors = 3

/** Files and entries that cannot be used, servers of other clients, or that there is nothing anywhere. */
function ConfigNotices({ servers: all }: { readonly servers: readonly ServerRow[] }) {
  const { value, error } = useAnswer('GET /api/config', {}, { on: ['config.changed'] })
  if (!value) return <ErrorLine error={error} />
  // What a row says itself is not said twice.
  const errors = value.problems.filter(
    ({ severity, server }) => severity === 'error' && !all.some(({ name }) => name === server),
  )
  const more = errors.length - shownErrors
  return (
    <>
      {errors.slice(0, shownErrors).map((problem) => (
        <ConfigError key={`${problem.place?.shown} ${problem.message}`} problem={problem} />
      ))}
      {more > 0 && (
        <Notice tone="bad" says={`${more} more ${more === 1 ? 'error' : 'errors'} in the configuration.`}>
          <Button to={addresses.config} command="plugboard doctor">
            Show
          </Button>
        </Notice>
      )}
      {all.length === 0 && <NoServers sources={value.sources} isBroken={errors.length > 0} />}
    </>
  )
}

/** A file that does not parse, or an entry that cannot be used and so has no row. */
function ConfigError({ problem }: { readonly problem: Problem }) {
  const { place, server } = problem
  return (
    <Notice
      tone="bad"
      says={
        <>
          {place && <span class="mono">{place.shown}</span>} {server !== undefined && `“${server}”: `}
          {problem.message} {problem.hint !== undefined && <span class="dim">{problem.hint}</span>}
        </>
      }
    >
      {place && <Button to={addresses.configFile(place.file, place.line)}>Show</Button>}
    </Notice>
  )
}

function NoServers({
  sources,
  isBroken,
}: {
  readonly sources: RouteAnswer<'GET /api/config'>['sources']
  /** Something is declared, and cannot be used. */
  readonly isBroken: boolean
}) {
  const off = sources.filter(({ use, servers: declared }) => use === 'off' && declared > 0)
  if (off.length === 0) {
    return (
      <div class="empty">
        <p>
          {isBroken
            ? 'No server can be used yet.'
            : `No servers yet. Looked in the files of ${sources.length} clients, nothing found.`}
        </p>
        <div class="buttons">
          <Button to={`${addresses.servers}?do=add`} kind="primary" command="plugboard add">
            Add…
          </Button>
        </div>
        <p class="dim">
          Or try the demo servers: <CommandText command="plugboard serve --demo" />
        </p>
      </div>
    )
  }
  const declared = off.map(
    ({ title, servers: count }) => `${title} declares ${count === 1 ? '1 server' : `${count} servers`}`,
  )
  return (
    <div class="empty">
      <p>{declared.join(', ')}. They are not in use here.</p>
      <div class="buttons">
        {off.map(({ id, title }, index) => (
          <Button
            key={id}
            to={`/config/sources?use=${encodeURIComponent(id)}`}
            {...(index === 0 && { kind: 'primary' as const })}
            command={`plugboard sources enable ${id}`}
          >
            Use those of {title}…
          </Button>
        ))}
        <Button to={`${addresses.servers}?do=add`} command="plugboard add">
          Add…
        </Button>
      </div>
    </div>
  )
}

interface NoticeProps {
  readonly says: ComponentChildren
  readonly tone?: 'ask' | 'bad'
  readonly children?: ComponentChildren
}

function Notice({ says, tone = 'ask', children }: NoticeProps) {
  return (
    <div class={`frame notice is-${tone === 'ask' ? 'asking' : 'bad'}`} role="status">
      <span class={`state tone-${tone}`}>
        <ShapeMark shape={tone === 'ask' ? 'square' : 'triangle'} />
      </span>
      <span class="notice-says">{says}</span>
      {children}
    </div>
  )
}
