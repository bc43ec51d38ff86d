# Shards as targets of make, which starts as many at a time as its -j says:
#
#     make -f shards.mk -j8 SHARDS=64 COMMAND="plumb check logs/ -m map"
#
# Each shard goes on from its journal; the last line is what one process would have printed.
SHARDS ?= 8
COMMAND ?= plumb check logs/ -m map
JOURNALS ?= journals
PLUMB ?= plumb

numbers := $(shell seq 0 $$(($(SHARDS) - 1)))
shards := $(numbers:%=shard-%)

.PHONY: merged $(shards)

merged: $(shards)
	@$(PLUMB) merge $(numbers:%=$(JOURNALS)/%.journal)

# What a shard finds is no failure of make's.
$(shards): shard-%: | $(JOURNALS)
	@$(COMMAND) --jobs 1 --shard $*/$(SHARDS) --journal $(JOURNALS)/$*.journal >/dev/null || true

$(JOURNALS):
	@mkdir -p $@
