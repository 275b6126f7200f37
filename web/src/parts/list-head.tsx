import type { ComponentChildren } from 'preact'

/** The name of a list with its filter in one line. Beside a detail, the heading of the page is that of the detail. */
export function ListHead({
  title,
  hasDetail,
  children,
}: {
  readonly title: string
  readonly hasDetail: boolean
  readonly children?: ComponentChildren
}) {
  const Title = hasDetail ? 'h2' : 'h1'
  return (
    <div class="list-head">
      <Title class="list-title">{title}</Title>
      {children}
    </div>
  )
}
