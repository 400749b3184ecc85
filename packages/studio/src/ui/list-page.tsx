import { List, type ListProps } from './list.tsx'
import { Card, Page } from './page.tsx'
import { SearchField } from './search-field.tsx'

interface ListPageProps<T> extends ListProps<T> {
  readonly title: string
  readonly lead: React.ReactNode
  readonly actions?: React.ReactNode
  /** The parameter of the address that a field above the list writes. */
  readonly search?: { readonly parameter: string; readonly label: string }
  /** Between heading and list. */
  readonly above?: React.ReactNode
  /** Behind the list: panels and dialogs. */
  readonly children?: React.ReactNode
}

/** The frame of every page that is one list. */
export function ListPage<T>({ title, lead, actions, search, above, children, ...list }: ListPageProps<T>) {
  return (
    <Page title={title} lead={lead} {...(actions === undefined ? {} : { actions })}>
      {above}
      {search !== undefined && <SearchField {...search} />}
      <Card flush>
        <List {...list} />
      </Card>
      {children}
    </Page>
  )
}
