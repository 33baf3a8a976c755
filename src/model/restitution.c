/* Restitution that depends on the speed of approach: e(v) from a table, as measured. */
#include <cradle/model.h>

double crd_model_restitution_at(const crd_restitution_table *table, double speed) {
  int last = table->count - 1, i = 0;
  if (!(speed > table->speed[0])) return table->e[0];
  while (i < last && speed > table->speed[i + 1]) i++;
  if (i == last) return table->e[last];
  double share = (speed - table->speed[i]) / (table->speed[i + 1] - table->speed[i]);
  return table->e[i] + share * (table->e[i + 1] - table->e[i]);
}

int crd_model_restitution_table_error(const crd_restitution_table *table) {
  for (int i = 0; i < table->count; i++) {
    bool rises = i == 0 ? table->speed[0] >= 0 : table->speed[i] > table->speed[i - 1];
    if (!rises || !(table->e[i] >= 0 && table->e[i] <= 1)) return i;
  }
  return -1;
}
