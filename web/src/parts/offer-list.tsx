import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Answer } from '../state/answers.ts'
import { plural } from './amounts.tsx'
import { Button } from './button.tsx'
import { byServer, hasWords } from './by-server.ts'
import { FilterBox } from './filter-box.tsx'
import { List } from './list.tsx'
import { ListHead } from './list-head.tsx'
import { Empty, ErrorLine, Loading } from './messages.tsx'
import { ServerHeading } from './server-heading.tsx'

interface OfferListProps<T> {
  /** `Prompts`; one of them is a `noun`. */
  readonly title: string
  readonly noun: string
  readonly command: string
  /** The filter, kept by the place. */
  readonly words: Signal<string>
  readonly answer: Answer<unknown>
  readonly all: readonly T[]
  /** What the words are looked for in. */
  readonly textsOf: (item: T) => readonly (string | undefined)[]
  readonly keyOf: (item: T) => string
  readonly to: (item: T) => string
  /** The key of the open one. */
  readonly current: string | undefined
  readonly children: (item: T) => ComponentChildren
}

/** What servers offer, by server, with a filter: the list beside a detail. */
export function OfferList<T extends { readonly server: string }>(props: OfferListProps<T>) {
  const { title, noun, words, answer, all, current } = props
  return (
    <>
      <ListHead title={title} hasDetail={current !== undefined}>
        <FilterBox
          label={`Search ${plural(all.length, noun)}`}
          value={words.value}
          onChange={(next) => (words.value = next)}
        />
      </ListHead>
      <ErrorLine error={answer.error} />
      {answer.value === undefined ? answer.isLoading && <Loading what={title} /> : <Rows {...props} />}
    </>
  )
}

function Rows<T extends { readonly server: string }>(props: OfferListProps<T>) {
  const { title, noun, command, words, all, textsOf, keyOf, to, current, children } = props
  const shown = all.filter((item) => hasWords(words.value, textsOf(item)))
  if (all.length === 0) return <Empty says={`No server offers ${noun}s.`} command={command} />
  if (shown.length === 0) {
    return (
      <Empty says={`No ${noun} matches “${words.value}”.`}>
        <Button onPress={() => (words.value = '')}>Clear</Button>
      </Empty>
    )
  }
  return (
    <List
      class="tool-list"
      label={title}
      items={byServer(shown)}
      keyOf={(row) => (row.kind === 'server' ? `#${row.server}` : keyOf(row.item))}
      to={(row) => (row.kind === 'item' ? to(row.item) : '')}
      isHeading={(row) => row.kind === 'server'}
      current={current}
      rowHeight={28}
      order={words.value}
    >
      {(row) =>
        row.kind === 'server' ? <ServerHeading server={row.server} count={row.count} /> : children(row.item)
      }
    </List>
  )
}
