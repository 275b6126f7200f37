import { countWord } from '../../../../src/surfaces/facts/count-word.ts'
import type { ServerRow } from '../../../../src/client.ts'
import { addresses } from '../../state/addresses.ts'
import { groupByState } from './server-groups.ts'

interface ServerCountsProps {
  readonly servers: readonly ServerRow[]
  /** The word of the state that the table is limited to. */
  readonly shown: string | undefined
}

/** How many servers are in each state; each is a filter of the table. */
export function ServerCounts({ servers, shown }: ServerCountsProps) {
  return (
    <span class="server-counts">
      {groupByState(servers).map(({ word, count }, index) => (
        <span key={word}>
          {index > 0 && ' · '}
          <a
            href={
              shown === word ? addresses.servers : `${addresses.servers}?state=${encodeURIComponent(word)}`
            }
            aria-current={shown === word ? 'true' : undefined}
          >
            {countWord(count, word)}
          </a>
        </span>
      ))}
      {shown !== undefined && (
        <>
          {' · '}
          <a href={addresses.servers}>show all</a>
        </>
      )}
    </span>
  )
}
