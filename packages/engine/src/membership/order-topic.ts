/** What nodes tell one another, with the id of a node behind it: there is an order for that node. */
export const ORDER_TOPIC = 'node:'
