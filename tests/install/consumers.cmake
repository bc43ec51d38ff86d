# What a user writes, however plumb came.
add_executable(consumer ../consumer.cpp)
target_link_libraries(consumer PRIVATE plumb::plumb)
add_executable(explore_consumer)
plumb_instrument(explore_consumer ../explore_consumer.cpp)
plumb_add_test(queue_test ../queue_test.cpp OPTIONS --threads 2 --operations 2)
